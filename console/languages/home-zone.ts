import { signal } from "@preact/signals";

/** The organization's time zone: what day it is today is asked of its clocks. Known once somebody is signed in. */
export const homeZone = signal("UTC");
