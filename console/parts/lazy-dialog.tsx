import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

/**
 * A dialog whose script is fetched when it is first opened, or before: what is opened now and then does not make the first
 * page heavier.
 */
export function lazyDialog<Props extends { readonly onClose: () => void }>(
  load: () => Promise<ComponentType<Props>>,
) {
  let loaded: ComponentType<Props> | undefined;
  const fetchIt = async () => {
    loaded ??= await load();
  };
  function LazyDialog(props: Props) {
    const [, setReady] = useState(loaded !== undefined);
    const { onClose } = props;
    useEffect(() => {
      // It may have come since it was drawn, by somebody else's asking.
      if (loaded) setReady(true);
      else fetchIt().then(() => setReady(true), onClose);
    }, []);
    const Loaded = loaded;
    return Loaded ? <Loaded {...props} /> : null;
  }
  return [LazyDialog, fetchIt] as const;
}
