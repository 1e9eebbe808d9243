import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Skeleton } from "../parts/page.tsx";
import "./first-steps.css";

/** The way of a new organization to its first class. Fetched when it is needed: most people never see it. */
export function FirstSteps() {
  const [loaded, setLoaded] = useState<{ readonly Walk: ComponentType }>();
  useEffect(() => {
    let isThere = true;
    void import("./walk.tsx").then(({ Walk }) => isThere && setLoaded({ Walk }));
    return () => {
      isThere = false;
    };
  }, []);
  return loaded ? <loaded.Walk /> : <Skeleton lines={6} />;
}
