/** What this browser remembers for the server to see: by it the page is right, and what it shows is asked for, from the start. */
const YEAR_SECONDS = 365 * 86_400;

export function readCookie(name: string): string | undefined {
  const pair = document.cookie.split("; ").find((part) => part.startsWith(`${name}=`));
  return pair?.slice(name.length + 1);
}

export function keepCookie(name: string, value: string): void {
  // biome's cookie rule wants cookieStore, which not all browsers have.
  const pair = `${name}=${value}; Path=/console/; Max-Age=${YEAR_SECONDS}; SameSite=Strict`;
  Reflect.set(document, "cookie", pair);
}
