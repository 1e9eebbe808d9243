import { useState } from "preact/hooks";
import type { Schemas } from "../../api/operations.ts";
import { useRead } from "../../api/reads.ts";
import { useWrite } from "../../api/writes.ts";
import { useMe } from "../../frame/me.ts";
import { instantIn } from "../../languages/format.ts";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog } from "../../parts/form-dialog.tsx";
import { ProblemNotice } from "../../parts/notice.tsx";
import { Section } from "../../parts/page.tsx";
import { Table } from "../../parts/table.tsx";
import { words } from "./words.ts";

type OpenLink = Schemas["StaffLink"];

/** The links that somebody can still come in by; nothing while there is none. */
export function OpenLinks() {
  const t = words();
  const { organization } = useMe();
  const { data: links = [] } = useRead("/app/v1/links").data ?? {};
  const [revoked, setRevoked] = useState<OpenLink>();
  const makerOf = ({ madeBy = "", madeByName }: OpenLink) =>
    madeByName ?? (madeBy.startsWith("operator:") ? t.operator : t.unknownMaker);
  return (
    <>
      {links.length > 0 && (
        <Section title={t.openLinks}>
          <p class="soft">{t.openLinksText}</p>
          <Table
            caption={t.openLinks}
            rows={links}
            keyOf={({ id }) => id}
            columns={[
              { title: t.linkFor, cell: ({ staffName }) => <strong>{staffName}</strong> },
              { title: t.madeBy, cell: makerOf },
              {
                title: t.until,
                isExtra: true,
                cell: ({ expiresAt }) => instantIn(expiresAt, organization.timezone),
              },
              {
                title: t.actionsTitle,
                isTitleHidden: true,
                cell: (link) => (
                  <Button isSmall onClick={() => setRevoked(link)}>
                    {t.revoke}
                  </Button>
                ),
              },
            ]}
          />
        </Section>
      )}
      {revoked && <RevokeLinkDialog of={revoked} onClose={() => setRevoked(undefined)} />}
    </>
  );
}

function RevokeLinkDialog({
  of: { id, staffName },
  onClose,
}: {
  readonly of: OpenLink;
  readonly onClose: () => void;
}) {
  const t = words();
  const write = useWrite("revokeLink");
  return (
    <ConfirmDialog
      title={t.revokeLinkTitle(staffName)}
      confirm={t.revoke}
      isBusy={write.isBusy}
      onConfirm={async () => {
        if (await write.run({ linkId: id }, { said: t.linkRevoked(staffName) })) onClose();
      }}
      onClose={onClose}
    >
      <ProblemNotice problem={write.problem} />
      <p>{t.revokeLinkText}</p>
    </ConfirmDialog>
  );
}
