import { useState } from "preact/hooks";
import type { Schemas } from "../../api/operations.ts";
import { useRead } from "../../api/reads.ts";
import { useWrite } from "../../api/writes.ts";
import { useMe } from "../../frame/me.ts";
import { fullDate, localIn, relative } from "../../languages/format.ts";
import { Button } from "../../parts/button.tsx";
import { CheckField, SelectField, TextField } from "../../parts/field.tsx";
import { ConfirmDialog, FormDialog } from "../../parts/form-dialog.tsx";
import { lazyDialog } from "../../parts/lazy-dialog.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Badge, Empty, ProblemNotice } from "../../parts/notice.tsx";
import { Shown } from "../../parts/page.tsx";
import { Table } from "../../parts/table.tsx";
import { route, setQuery } from "../../routing/router.ts";
import { SecretDialog } from "./secret-dialog.tsx";
import { words } from "./words.ts";

const [RequestsPanel] = lazyDialog(async () => (await import("./key-requests.tsx")).RequestsPanel);

type Key = Schemas["StaffKey"];
/** How long a key works, as the server takes it. */
const LIFETIMES = { never: undefined, month: "30d", quarter: "90d", year: "365d" } as const;
const OVERLAPS = { none: "0s", hour: "1h", day: "24h", week: "7d" } as const;

/** What other programs come in with. */
export function Keys() {
  const t = words();
  const { organization } = useMe();
  const list = useRead("/app/v1/keys");
  const showsEnded = route.value.query.get("show") === "ended";
  const [isMinting, setMinting] = useState(false);
  const [rotated, setRotated] = useState<Key>();
  const [revoked, setRevoked] = useState<Key>();
  const [asked, setAsked] = useState<Key>();
  const [secret, setSecret] = useState<string>();
  const dayOf = (instant: string) => fullDate(localIn(instant, organization.timezone));
  const mint = (
    <Button kind="main" icon="plus" onClick={() => setMinting(true)}>
      {t.mint}
    </Button>
  );
  return (
    <>
      <Shown reading={list}>
        {({ data, total }) =>
          total === 0 ? (
            <Empty icon="key" title={t.noKeys} action={mint}>
              {t.noKeysText}
            </Empty>
          ) : (
            <>
              <div class="settings-head">
                {data.some(({ status }) => status !== "active") && (
                  <CheckField
                    label={t.showEnded}
                    isChecked={showsEnded}
                    onChange={(isChecked) => setQuery({ show: isChecked ? "ended" : undefined })}
                  />
                )}
                {mint}
              </div>
              <Table
                caption={t.keys}
                rows={data.filter(({ status }) => showsEnded || status === "active")}
                keyOf={({ id }) => id}
                columns={[
                  {
                    title: t.keyName,
                    cell: ({ name, status }) => (
                      <>
                        <strong>{name ?? t.unnamed}</strong>{" "}
                        {status !== "active" && <Badge tone="warning">{t.keyStatuses[status]}</Badge>}
                      </>
                    ),
                  },
                  {
                    title: t.lastUse,
                    cell: ({ lastUsedAt }) => (lastUsedAt ? relative(lastUsedAt, Date.now()) : t.neverUsed),
                  },
                  { title: t.created, isExtra: true, cell: ({ createdAt }) => dayOf(createdAt) },
                  {
                    title: t.ends,
                    isExtra: true,
                    cell: ({ expiresAt, revokedAt }) =>
                      revokedAt ? dayOf(revokedAt) : expiresAt ? dayOf(expiresAt) : t.never,
                  },
                  {
                    title: t.actionsTitle,
                    isTitleHidden: true,
                    cell: (key) => (
                      <Menu
                        label={t.actions(key.name ?? t.unnamed)}
                        items={[
                          { label: t.requests, icon: "history", onChoose: () => setAsked(key) },
                          ...(key.status === "active"
                            ? [
                                {
                                  label: t.rotate,
                                  icon: "repeat" as const,
                                  onChoose: () => setRotated(key),
                                },
                                {
                                  label: t.revoke,
                                  icon: "block" as const,
                                  isDangerous: true,
                                  onChoose: () => setRevoked(key),
                                },
                              ]
                            : []),
                        ]}
                      />
                    ),
                  },
                ]}
              />
            </>
          )
        }
      </Shown>
      {asked && (
        <RequestsPanel
          keyId={asked.id}
          title={t.requestsOf(asked.name ?? t.unnamed)}
          onClose={() => setAsked(undefined)}
        />
      )}
      {isMinting && <MintForm onClose={() => setMinting(false)} onSecret={setSecret} />}
      {rotated && <RotateForm of={rotated} onClose={() => setRotated(undefined)} onSecret={setSecret} />}
      {revoked && <RevokeDialog of={revoked} onClose={() => setRevoked(undefined)} />}
      {secret !== undefined && (
        <SecretDialog
          title={t.keyTitle}
          label={t.keyLabel}
          warning={t.keyOnce}
          secret={secret}
          onClose={() => setSecret(undefined)}
        >
          <p>
            <a href="/docs" target="_blank" rel="noreferrer">
              {t.keyUse}
            </a>
          </p>
        </SecretDialog>
      )}
    </>
  );
}

function MintForm({
  onClose,
  onSecret,
}: {
  readonly onClose: () => void;
  readonly onSecret: (secret: string) => void;
}) {
  const t = words();
  const [name, setName] = useState("");
  const [expiry, setExpiry] = useState<keyof typeof LIFETIMES>("never");
  const write = useWrite("mintKey");
  const expires = LIFETIMES[expiry];
  return (
    <FormDialog
      title={t.mintTitle}
      save={t.mintSave}
      isBusy={write.isBusy}
      problem={write.problem}
      shown={["name"]}
      onSubmit={async () => {
        const answer = await write.run({ name: name.trim(), ...(expires && { expires }) });
        if (!answer) return;
        onClose();
        onSecret(answer.result?.key ?? "");
      }}
      onClose={onClose}
    >
      <TextField
        label={t.keyName}
        hint={t.keyNameHint}
        value={name}
        onInput={setName}
        fault={write.problem?.faultAt("name")}
        maxLength={100}
        isRequired
        hasFocus
      />
      <SelectField
        label={t.expiry}
        value={expiry}
        choices={(["never", "month", "quarter", "year"] as const).map((value) => ({
          value,
          label: t.expiries[value],
        }))}
        onChoose={setExpiry}
      />
    </FormDialog>
  );
}

function RotateForm({
  of: { id, name },
  onClose,
  onSecret,
}: {
  readonly of: Key;
  readonly onClose: () => void;
  readonly onSecret: (secret: string) => void;
}) {
  const t = words();
  const [overlap, setOverlap] = useState<keyof typeof OVERLAPS>("day");
  const write = useWrite("rotateKey");
  return (
    <FormDialog
      title={t.rotateTitle(name ?? t.unnamed)}
      save={t.rotateSave}
      isBusy={write.isBusy}
      problem={write.problem}
      shown={[]}
      onSubmit={async () => {
        const answer = await write.run({ keyId: id, overlap: OVERLAPS[overlap] });
        if (!answer) return;
        onClose();
        onSecret(answer.result?.key ?? "");
      }}
      onClose={onClose}
    >
      <p>{t.rotateText}</p>
      <SelectField
        label={t.overlap}
        value={overlap}
        choices={(["none", "hour", "day", "week"] as const).map((value) => ({
          value,
          label: t.overlaps[value],
        }))}
        onChoose={setOverlap}
      />
    </FormDialog>
  );
}

function RevokeDialog({
  of: { id, name, lastUsedAt },
  onClose,
}: {
  readonly of: Key;
  readonly onClose: () => void;
}) {
  const t = words();
  const write = useWrite("revokeKey");
  const called = name ?? t.unnamed;
  return (
    <ConfirmDialog
      title={t.revokeTitle(called)}
      confirm={t.revoke}
      isBusy={write.isBusy}
      onConfirm={async () => {
        if (await write.run({ keyId: id }, { said: t.revoked(called) })) onClose();
      }}
      onClose={onClose}
    >
      <ProblemNotice problem={write.problem} />
      <p>{t.revokeText}</p>
      <p>{lastUsedAt ? t.lastUsed(relative(lastUsedAt, Date.now())) : t.neverUsed}</p>
    </ConfirmDialog>
  );
}
