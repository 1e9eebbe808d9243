import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { refreshReads } from "../api/reads.ts";

/**
 * A dialog or a form whose script is fetched when it is first opened, or before: what is opened now and then does not make its
 * screen heavier. If it cannot be fetched it is closed, and said why; or, if it cannot close, the screen says so.
 */
export function lazyDialog<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  let loaded: ComponentType<Props> | undefined;
  const fetchIt = async () => {
    loaded ??= await load();
  };
  function LazyDialog(props: Props) {
    const [, setReady] = useState(loaded !== undefined);
    const { onClose } = props as { readonly onClose?: () => void };
    useEffect(() => {
      // It may have come since it was drawn, by somebody else's asking.
      if (loaded) setReady(true);
      else
        fetchIt().then(
          () => setReady(true),
          (error: unknown) => {
            if (!onClose)
              return setReady(() => {
                throw error;
              });
            onClose();
            if (navigator.onLine) throw error;
            // Whoever asks the server finds out that it cannot be reached, and when it can again.
            return refreshReads();
          },
        );
    }, []);
    const Loaded = loaded;
    return Loaded ? <Loaded {...props} /> : null;
  }
  return [LazyDialog, fetchIt] as const;
}
