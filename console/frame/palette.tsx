import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { useRead } from "../api/reads.ts";
import { Combobox } from "../parts/combobox.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Icon, type IconName } from "../parts/icon.tsx";
import { useMe } from "./me.ts";
import { go } from "./router.ts";
import { SCREENS, type ScreenName } from "./screens.ts";
import { addressOfScreen } from "./shell.tsx";
import { frameWords } from "./words.ts";

interface Found {
  readonly key: string;
  readonly icon: IconName;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly href: string;
}

const isOpen = signal(false);

export function openPalette(): void {
  isOpen.value = true;
}

/** Ctrl/⌘ K from anywhere: people, screens. */
export function Palette() {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      isOpen.value = !isOpen.value;
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, []);
  return isOpen.value ? <OpenPalette /> : null;
}

function OpenPalette() {
  const t = frameWords();
  const [text, setText] = useState("");
  const { staff } = useMe();
  const people = useRead(
    text.trim().length < 2 ? undefined : "/app/v1/clients",
    { query: { query: text.trim(), limit: 8 } },
    { keepsLast: true },
  );
  const wanted = text.trim().toLowerCase();
  const screens: Found[] = (Object.keys(SCREENS) as ScreenName[])
    .filter((name) => SCREENS[name].role === "front_desk" || staff.role === "owner")
    .filter((name) => t.screens[name].toLowerCase().includes(wanted))
    .map((name) => ({
      key: name,
      icon: SCREENS[name].icon,
      label: t.screens[name],
      href: addressOfScreen(name),
    }));
  const clients: Found[] = (people.data?.data ?? []).map(({ id, contactName, contactEmail }) => ({
    key: id,
    icon: "user",
    label: contactName,
    hint: contactEmail,
    href: `/console/clients/${id}`,
  }));
  const close = () => {
    isOpen.value = false;
  };
  return (
    <Dialog title={t.search} onClose={close}>
      <Combobox
        label={t.search}
        isLabelHidden
        hasFocus
        text={text}
        onText={setText}
        options={[...screens, ...clients]}
        keyOf={({ key }) => key}
        show={({ icon, label, hint }) => (
          <>
            <Icon name={icon} /> <span>{label}</span> {hint && <small>{hint}</small>}
          </>
        )}
        onChoose={({ href }) => {
          close();
          void go(href);
        }}
      />
    </Dialog>
  );
}
