import type { AddressFault } from "./refusals.ts";

/**
 * Whom the server may call. An address is judged by itself, and what carries an IPv4 address inside by that one: a name
 * that leads to `::ffff:10.0.0.1` leads into the private network.
 */

/** All addresses of a name; none if nobody knows it. */
export type ResolveName = (name: string) => Promise<readonly string[]>;

/** What an operator has opened beside public addresses and https. */
export interface CallRules {
  /** Networks that may be called although they are not public. */
  readonly nets: readonly Network[];
  /** Whether plain http is allowed. */
  readonly plainHttp: boolean;
  /** How names are resolved, if not by the servers of names that the system has. */
  readonly resolve?: ResolveName;
}

/** As long as an operator says nothing. */
export const ONLY_PUBLIC: CallRules = { nets: [], plainHttp: false };

/** The leading bits of 4 or 16 bytes. */
export interface Network {
  readonly bytes: readonly number[];
  readonly bits: number;
}

/** `opened`: only because a network of the operator's holds it. */
export type AddressJudgement = "public" | "opened" | "refused";

/** Why a URL may not be called, whatever its name leads to. */
export type UrlFault = Exclude<AddressFault, "unresolved" | "not_public">;

/** The address of a receiver, as far as its text tells. */
export function judgeUrl(text: string, { plainHttp }: Pick<CallRules, "plainHttp">): UrlFault | undefined {
  if (!URL.canParse(text)) return "not_a_url";
  const { protocol, username, password, port, hostname } = new URL(text);
  if (protocol !== "https:" && !(plainHttp && protocol === "http:")) return "scheme";
  if (hostname === "") return "not_a_url";
  if (username !== "" || password !== "") return "user";
  // An empty fragment is not kept by the URL's parts.
  if (text.includes("#")) return "fragment";
  // No port: that of the scheme.
  return port === "" || Number(port) === 443 || Number(port) >= 1024 ? undefined : "port";
}

/** An address as a name resolves to it. */
export function judgeAddress(address: string, opened: readonly Network[]): AddressJudgement {
  const bytes = addressBytes(address);
  return bytes === undefined ? "refused" : judgeBytes(bytes, opened);
}

/** Of all the addresses of a name: one that may not be called forbids the name. */
export function judgeAddresses(addresses: readonly string[], opened: readonly Network[]): AddressJudgement {
  const judged = new Set(addresses.map((address) => judgeAddress(address, opened)));
  if (judged.size === 0 || judged.has("refused")) return "refused";
  return judged.has("opened") ? "opened" : "public";
}

/** Reads `10.0.0.0/8,fd00::/8`; throws a sentence's rest. */
export function parseNetworks(text: string): readonly Network[] {
  const parts = text.split(",").map((part) => part.trim());
  return parts.filter((part) => part !== "").map(parseNetwork);
}

function parseNetwork(text: string): Network {
  const [address = "", length = "", ...rest] = text.split("/");
  const bytes = addressBytes(address);
  const bits = length === "" ? (bytes?.length ?? 0) * 8 : Number(length);
  const isLength = length === "" || /^\d{1,3}$/.test(length);
  if (!bytes || !isLength || rest.length > 0 || bits > bytes.length * 8)
    throw new Error("must be networks such as 10.0.0.0/8,fd00::/8");
  return { bytes, bits };
}

/** The bytes of an address: 4 or 16, or undefined if it is none. */
export function addressBytes(address: string): readonly number[] | undefined {
  return address.includes(":") ? version6Bytes(address) : version4Bytes(address);
}

function judgeBytes(bytes: readonly number[], opened: readonly Network[]): AddressJudgement {
  if (opened.some((net) => isWithin(bytes, net))) return "opened";
  if (bytes.length === 4) return SPECIAL_4.some((net) => isWithin(bytes, net)) ? "refused" : "public";
  const inside = addressesInside(bytes);
  if (inside.length > 0) {
    const judged = inside.map((one) => judgeBytes(one, opened));
    return judged.find((one) => one === "refused") ?? judged.find((one) => one === "opened") ?? "public";
  }
  return isWithin(bytes, GLOBAL_UNICAST_6) && !SPECIAL_6.some((net) => isWithin(bytes, net))
    ? "public"
    : "refused";
}

/** The IPv4 addresses that an IPv6 address leads to. */
function addressesInside(bytes: readonly number[]): (readonly number[])[] {
  const last = bytes.slice(12);
  if (isWithin(bytes, MAPPED) || isWithin(bytes, NAT64)) return [last];
  if (isWithin(bytes, SIX_TO_FOUR)) return [bytes.slice(2, 6)];
  // Teredo: its server, and its client with every bit turned.
  if (isWithin(bytes, TEREDO)) return [bytes.slice(4, 8), last.map((byte) => byte ^ 0xff)];
  return [];
}

function isWithin(bytes: readonly number[], net: Network): boolean {
  if (bytes.length !== net.bytes.length) return false;
  return bytes.every((byte, place) => {
    const bits = Math.min(Math.max(net.bits - place * 8, 0), 8);
    const mask = (0xff << (8 - bits)) & 0xff;
    return (byte & mask) === ((net.bytes[place] ?? 0) & mask);
  });
}

function version4Bytes(address: string): readonly number[] | undefined {
  const parts = address.split(".");
  // Without leading zeros, which some read as octal.
  const isPart = (part: string) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255;
  return parts.length === 4 && parts.every(isPart) ? parts.map(Number) : undefined;
}

function version6Bytes(address: string): readonly number[] | undefined {
  const halves = address.split("::");
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half) => (half === "" ? [] : half.split(":")).map(groupBytes));
  const before = joined(head ?? []);
  const after = joined(tail ?? []);
  if (before === undefined || after === undefined) return undefined;
  const gap = 16 - before.length - after.length;
  if (halves.length === 2 ? gap < 2 : gap !== 0) return undefined;
  return [...before, ...Array<number>(gap).fill(0), ...after];
}

/** Two bytes, or four where an IPv4 address stands. */
function groupBytes(group: string): readonly number[] | undefined {
  if (group.includes(".")) return version4Bytes(group);
  if (!/^[0-9a-f]{1,4}$/i.test(group)) return undefined;
  const value = Number.parseInt(group, 16);
  return [value >> 8, value & 0xff];
}

/** All groups one after the other; undefined if one is none, or an IPv4 address stands before the end. */
function joined(groups: readonly (readonly number[] | undefined)[]): readonly number[] | undefined {
  const isWhole = groups.every(
    (group, place) => group && (group.length === 2 || place === groups.length - 1),
  );
  return isWhole ? groups.flatMap((group) => group ?? []) : undefined;
}

const networks = (...texts: readonly string[]) => texts.map(parseNetwork);

/** Of IPv4, what is not public: the IANA's special-purpose addresses, multicast and what is reserved. */
const SPECIAL_4 = networks(
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
);

/** Of the global unicast addresses of IPv6, what is for protocols, benchmarks and documentation. */
const SPECIAL_6 = networks("2001::/23", "2001:db8::/32", "3fff::/20");
const GLOBAL_UNICAST_6 = parseNetwork("2000::/3");
const MAPPED = parseNetwork("::ffff:0:0/96");
const NAT64 = parseNetwork("64:ff9b::/96");
const SIX_TO_FOUR = parseNetwork("2002::/16");
const TEREDO = parseNetwork("2001::/32");
