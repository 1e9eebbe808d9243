import { useRef } from "preact/hooks";

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** What the fields of forms had when they were first entered, and whether one of them has something else now. */
export function useTypedValues() {
  const { current: before } = useRef(new Map<Control, string>());
  return {
    remember({ target }: Event): void {
      if (isField(target) && !before.has(target)) before.set(target, contentOf(target));
    },
    /** Fields that have gone, as after they were saved, do not count. */
    isChanged: () => [...before].some(([field, value]) => field.isConnected && contentOf(field) !== value),
  };
}

/** A search is no loss. */
function isField(target: EventTarget | null): target is Control {
  return (
    target instanceof HTMLElement &&
    target.matches("form :is(input, select, textarea):not([type=search], [role=combobox])")
  );
}

function contentOf(field: Control): string {
  return field instanceof HTMLInputElement && /^(checkbox|radio)$/.test(field.type)
    ? String(field.checked)
    : field.value;
}
