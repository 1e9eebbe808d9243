import assert from "node:assert/strict";
import { test } from "node:test";
import { addressBytes, judgeAddress, judgeAddresses, judgeUrl, parseNetworks } from "./network-addresses.ts";

const JUDGED: readonly (readonly [address: string, judgement: string])[] = [
  ["8.8.8.8", "public"],
  ["1.1.1.1", "public"],
  ["172.15.255.255", "public"],
  ["172.32.0.0", "public"],
  ["100.63.255.255", "public"],
  ["100.128.0.0", "public"],
  ["0.0.0.0", "refused"],
  ["10.0.0.1", "refused"],
  ["100.64.0.1", "refused"],
  ["127.0.0.1", "refused"],
  ["127.255.255.254", "refused"],
  ["169.254.169.254", "refused"],
  ["172.16.0.1", "refused"],
  ["172.31.255.255", "refused"],
  ["192.0.0.1", "refused"],
  ["192.0.2.7", "refused"],
  ["192.88.99.1", "refused"],
  ["192.168.1.1", "refused"],
  ["198.18.0.1", "refused"],
  ["198.19.255.255", "refused"],
  ["198.51.100.1", "refused"],
  ["203.0.113.9", "refused"],
  ["224.0.0.1", "refused"],
  ["239.255.255.255", "refused"],
  ["240.0.0.1", "refused"],
  ["255.255.255.255", "refused"],
  ["2606:4700:4700::1111", "public"],
  ["2a00:1450:4001:830::200e", "public"],
  ["::", "refused"],
  ["::1", "refused"],
  ["fe80::1", "refused"],
  ["fe80::1%eth0", "refused"],
  ["fc00::1", "refused"],
  ["fd12:3456::1", "refused"],
  ["ff02::1", "refused"],
  ["fec0::1", "refused"],
  ["100::1", "refused"],
  ["2001:2::1", "refused"],
  ["2001:20::1", "refused"],
  ["2001:db8::1", "refused"],
  ["3fff::1", "refused"],
  ["5f00::1", "refused"],
  ["::8.8.8.8", "refused"],
  // By the IPv4 address inside: mapped, NAT64, 6to4, Teredo.
  ["::ffff:8.8.8.8", "public"],
  ["::ffff:10.0.0.1", "refused"],
  ["::ffff:7f00:1", "refused"],
  ["64:ff9b::808:808", "public"],
  ["64:ff9b::127.0.0.1", "refused"],
  ["64:ff9b:1::8.8.8.8", "refused"],
  ["2002:0808:0808::1", "public"],
  ["2002:0a00:0001::1", "refused"],
  ["2002:c0a8:0101::", "refused"],
  // Server 65.54.227.120, client 192.0.2.45; then client 8.8.8.8; then a private server.
  ["2001:0:4136:e378:8000:63bf:3fff:fdd2", "refused"],
  ["2001:0:4136:e378:8000:63bf:f7f7:f7f7", "public"],
  ["2001:0:0a00:0001:8000:63bf:f7f7:f7f7", "refused"],
  ["localhost", "refused"],
  ["", "refused"],
  ["1.2.3", "refused"],
  ["010.0.0.1", "refused"],
];

test("only global unicast addresses are public, and what carries an IPv4 address is judged by that", () => {
  for (const [address, judgement] of JUDGED)
    assert.equal(`${address} ${judgeAddress(address, [])}`, `${address} ${judgement}`);
});

test("a network that the operator opened may be called, by each form of its addresses, and no other", () => {
  const opened = parseNetworks("10.0.0.0/8, 127.0.0.1, fd00:1::/32");
  for (const [address, judgement] of [
    ["10.200.0.1", "opened"],
    ["127.0.0.1", "opened"],
    ["127.0.0.2", "refused"],
    ["::ffff:10.0.0.1", "opened"],
    ["2002:0a00:0001::1", "opened"],
    ["fd00:1:2::3", "opened"],
    ["fd00:2::3", "refused"],
    ["192.168.0.1", "refused"],
    ["8.8.8.8", "public"],
  ] as const)
    assert.equal(`${address} ${judgeAddress(address, opened)}`, `${address} ${judgement}`);
});

test("one address of a name that may not be called forbids the name, and so does none at all", () => {
  const opened = parseNetworks("10.0.0.0/8");
  assert.equal(judgeAddresses(["8.8.8.8", "1.1.1.1"], opened), "public");
  assert.equal(judgeAddresses(["8.8.8.8", "10.0.0.1"], opened), "opened");
  assert.equal(judgeAddresses(["8.8.8.8", "127.0.0.1"], opened), "refused");
  assert.equal(judgeAddresses([], opened), "refused");
});

test("networks are read as they are written, and nothing else is", () => {
  assert.deepEqual(parseNetworks(""), []);
  assert.deepEqual(parseNetworks("10.0.0.0/8"), [{ bytes: [10, 0, 0, 0], bits: 8 }]);
  for (const text of ["10.0.0.0/33", "10.0.0/8", "10.0.0.0/8/8", "10.0.0.0/-1", "10.0.0.0/", "::/129", "a"]) {
    const isReadable = text === "10.0.0.0/";
    if (isReadable) assert.equal(parseNetworks(text)[0]?.bits, 32);
    else assert.throws(() => parseNetworks(text), /must be networks/, text);
  }
});

test("addresses of IPv6 are read in every form of writing", () => {
  const expected = [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, 1];
  for (const text of ["2001:db8::a00:1", "2001:DB8::10.0.0.1", "2001:db8:0:0:0:0:a00:1"])
    assert.deepEqual(addressBytes(text), expected, text);
  for (const text of [
    "1::2::3",
    ":::",
    "12345::",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "::1.2.3.4:5",
    "g::",
  ])
    assert.equal(addressBytes(text), undefined, text);
});

test("an address of a receiver is https, without user and fragment, on port 443 or from 1024 up", () => {
  for (const [url, fault] of [
    ["https://example.com/hooks", undefined],
    ["https://example.com:443/", undefined],
    ["https://example.com:8443/a?b=c", undefined],
    ["https://example.com:1024/", undefined],
    ["https://[2606:4700::1]/", undefined],
    ["http://example.com/", "scheme"],
    ["ftp://example.com/", "scheme"],
    ["file:///etc/passwd", "scheme"],
    ["https://user@example.com/", "user"],
    ["https://:secret@example.com/", "user"],
    ["https://example.com/#a", "fragment"],
    ["https://example.com/#", "fragment"],
    ["https://example.com:22/", "port"],
    ["https://example.com:80/", "port"],
    ["https://example.com:1023/", "port"],
    ["example.com", "not_a_url"],
    ["https://", "not_a_url"],
    ["", "not_a_url"],
  ] as const)
    assert.equal(`${url} ${judgeUrl(url, { plainHttp: false })}`, `${url} ${fault}`);
  for (const [url, fault] of [
    ["http://example.com/", undefined],
    ["http://example.com:8080/", undefined],
    ["http://example.com:22/", "port"],
    ["https://example.com/", undefined],
    ["ws://example.com/", "scheme"],
  ] as const)
    assert.equal(`${url} ${judgeUrl(url, { plainHttp: true })}`, `${url} ${fault}`);
});
