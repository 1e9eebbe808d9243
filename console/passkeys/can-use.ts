/**
 * Whether this browser has passkeys at this address. Without https there are none but for `localhost`, and none are bound to
 * an IP address.
 */
export function canUsePasskeys(): boolean {
  return (
    typeof PublicKeyCredential === "function" &&
    "parseRequestOptionsFromJSON" in PublicKeyCredential &&
    !/^[\d.]+$|^\[/.test(location.hostname)
  );
}
