/** Addresses of the style sheets of screens, by screen; the server wrote them into the page. */
const addresses = JSON.parse(document.documentElement.dataset.styles ?? "{}") as Record<string, string>;
const loading = new Map<string, Promise<void>>();

/** Loads the style sheet of a screen once; a screen without one has nothing to wait for. */
export function loadStyles(screen: string): Promise<void> {
  const address = addresses[screen];
  if (address === undefined || document.querySelector(`link[href="${address}"]`))
    return loading.get(screen) ?? Promise.resolve();
  const promise = new Promise<void>((resolve, reject) => {
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: address });
    link.onload = () => resolve();
    link.onerror = () => {
      link.remove();
      loading.delete(screen);
      reject(new Error("a style sheet could not be loaded"));
    };
    document.head.append(link);
  });
  loading.set(screen, promise);
  return promise;
}
