import type { Schemas } from "../../api/operations.ts";
import { useMe } from "../../frame/me.ts";
import { CopyField } from "../../parts/copy-field.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Section } from "../../parts/page.tsx";
import { lostOwnerWords } from "./lost-owner-words.ts";

/** How an owner comes in again who has lost the password and every passkey: said before it happens. */
export function LostOwner({ staff }: { readonly staff: readonly Schemas["Staff"][] }) {
  const t = lostOwnerWords();
  const { staff: me, organization } = useMe();
  const owners = staff.filter(({ role, status }) => role === "owner" && status === "active");
  return (
    <Section title={t.lostTitle}>
      {owners.length > 1 ? <p class="soft">{t.lostText}</p> : <Notice tone="warning">{t.lostAlone}</Notice>}
      <CopyField
        label={t.lostCommand}
        value={`rollbook staff link --org ${organization.id} --email ${shellWord(me.email)}`}
      />
    </Section>
  );
}

/** What a shell would take apart stands in quotes. */
function shellWord(text: string): string {
  return /^[\w.@+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
