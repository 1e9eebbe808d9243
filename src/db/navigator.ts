/**
 * For Node 20 alone, to be removed with it: Node has it from version 21 on. Without it the driver makes a `Response` to find out where it runs, for which Node 20
 * loads its whole HTTP client. In every command that took longer than to load the driver itself.
 */
if (!("navigator" in globalThis)) {
  const value = { userAgent: `Node.js/${process.versions.node.split(".")[0]}` };
  Object.defineProperty(globalThis, "navigator", { value, configurable: true, enumerable: true });
}
