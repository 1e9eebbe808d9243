import { useEffect, useState } from "preact/hooks";
import type { Schemas } from "../../api/operations.ts";
import { refreshReads, useRead } from "../../api/reads.ts";
import { useWrite, writeOrTell } from "../../api/writes.ts";
import { count, relative } from "../../languages/format.ts";
import { Button } from "../../parts/button.tsx";
import { SelectField } from "../../parts/field.tsx";
import { ConfirmDialog, FormDialog } from "../../parts/form-dialog.tsx";
import { Menu, type MenuItem } from "../../parts/menu.tsx";
import { Badge, Empty, ProblemNotice } from "../../parts/notice.tsx";
import { Shown } from "../../parts/page.tsx";
import { Table } from "../../parts/table.tsx";
import { SecretDialog } from "./secret-dialog.tsx";
import { AttemptsPanel, resultOf } from "./webhook-attempts.tsx";
import { WebhookForm } from "./webhook-form.tsx";
import { webhookWords } from "./webhook-words.ts";

type Webhook = Schemas["Webhook"];
type State = "active" | "failing" | "disabled" | "held";

const OVERLAPS = { none: "0s", hour: "1h", day: "24h", week: "7d" } as const;
const TONES = { active: "good", failing: "bad", disabled: "warning", held: "warning" } as const;
/** How often the list is read again while somebody looks at it: what is sent is nobody's write. */
const EVERY_MS = 10_000;

/** What is open over the list. */
type Opened =
  | { readonly dialog: "add" }
  | {
      readonly dialog: "edit" | "attempts" | "rotate" | "skip" | "replay" | "remove";
      readonly of: Webhook;
      readonly testId?: string;
    };

/** Whom changes are told. */
export function Webhooks() {
  const t = webhookWords();
  const list = useRead("/app/v1/webhooks");
  const [opened, setOpened] = useState<Opened>();
  const [secret, setSecret] = useState<string>();
  const close = () => setOpened(undefined);
  useEffect(() => {
    const timer = setInterval(() => document.hidden || refreshReads(), EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  const add = (
    <Button kind="main" icon="plus" onClick={() => setOpened({ dialog: "add" })}>
      {t.add}
    </Button>
  );
  return (
    <>
      <Shown reading={list}>
        {({ data, total }) =>
          total === 0 ? (
            <Empty icon="upload" title={t.none} action={add}>
              {t.noneText}
            </Empty>
          ) : (
            <>
              <div class="settings-head">{add}</div>
              <Table
                caption={t.list}
                rows={data}
                keyOf={({ id }) => id}
                columns={[
                  {
                    title: t.name,
                    cell: (webhook) => (
                      <>
                        <strong class="unbroken">{nameOf(webhook)}</strong>{" "}
                        <Badge tone={TONES[stateOf(webhook)]}>{t.states[stateOf(webhook)]}</Badge>
                        {webhook.name !== undefined && <p class="soft unbroken">{webhook.url}</p>}
                        <Trouble webhook={webhook} />
                      </>
                    ),
                  },
                  { title: t.behind, cell: (webhook) => <Behind webhook={webhook} /> },
                  {
                    title: t.lastAttempt,
                    isExtra: true,
                    cell: ({ lastAttempt }) =>
                      lastAttempt ? (
                        <>
                          {relative(lastAttempt.at, Date.now())}
                          <p class="soft">{resultOf(lastAttempt)}</p>
                        </>
                      ) : (
                        t.neverSent
                      ),
                  },
                  {
                    title: t.actions,
                    isTitleHidden: true,
                    cell: (webhook) => (
                      <Menu label={t.actionsFor(nameOf(webhook))} items={itemsFor(webhook, setOpened)} />
                    ),
                  },
                ]}
              />
            </>
          )
        }
      </Shown>
      {opened?.dialog === "add" && <WebhookForm onClose={close} onSecret={setSecret} />}
      {opened?.dialog === "edit" && <WebhookForm of={opened.of} onClose={close} onSecret={setSecret} />}
      {opened?.dialog === "attempts" && (
        <AttemptsPanel
          webhookId={opened.of.id}
          title={t.attemptsOf(nameOf(opened.of))}
          testId={opened.testId}
          onClose={close}
        />
      )}
      {opened?.dialog === "rotate" && <RotateForm of={opened.of} onClose={close} onSecret={setSecret} />}
      {opened?.dialog === "skip" && <SkipDialog of={opened.of} onClose={close} />}
      {opened?.dialog === "replay" && <ReplayDialog of={opened.of} onClose={close} />}
      {opened?.dialog === "remove" && <RemoveDialog of={opened.of} onClose={close} />}
      {secret !== undefined && (
        <SecretDialog
          title={t.secretTitle}
          label={t.secretLabel}
          warning={t.secretOnce}
          secret={secret}
          onClose={() => setSecret(undefined)}
        />
      )}
    </>
  );
}

function nameOf({ name, url }: Webhook): string {
  return name ?? url;
}

function stateOf({ state, isHeld, failingSince }: Webhook): State {
  if (state === "disabled") return "disabled";
  if (isHeld) return "held";
  return failingSince === undefined ? "active" : "failing";
}

function itemsFor(webhook: Webhook, open: (opened: Opened) => void): readonly MenuItem[] {
  const t = webhookWords();
  const { id, state, tries, pendingSequence } = webhook;
  const name = nameOf(webhook);
  const opens = (dialog: Exclude<Opened["dialog"], "add">) => () => open({ dialog, of: webhook });
  const test = async () => {
    const answer = await writeOrTell("testWebhook", { webhookId: id });
    if (answer?.result) open({ dialog: "attempts", of: webhook, testId: answer.result.testId });
  };
  const turn =
    state === "active"
      ? { label: t.disable, said: t.disabled(name), icon: "pause" as const, write: "disableWebhook" as const }
      : { label: t.enable, said: t.enabled(name), icon: "restore" as const, write: "enableWebhook" as const };
  return [
    { label: t.attempts, icon: "history", onChoose: opens("attempts") },
    { label: t.test, icon: "play", onChoose: () => void test() },
    { label: t.edit, icon: "edit", onChoose: opens("edit") },
    ...(pendingSequence !== undefined && tries > 0
      ? [{ label: t.skip, icon: "right" as const, onChoose: opens("skip") }]
      : []),
    { label: t.replay, icon: "undo", onChoose: opens("replay") },
    { label: t.rotate, icon: "repeat", onChoose: opens("rotate") },
    {
      label: turn.label,
      icon: turn.icon,
      onChoose: () => void writeOrTell(turn.write, { webhookId: id }, { said: turn.said }),
    },
    { label: t.remove, icon: "delete", isDangerous: true, onChoose: opens("remove") },
  ];
}

/** What is wrong with it, in a sentence. */
function Trouble({ webhook }: { readonly webhook: Webhook }) {
  const t = webhookWords();
  const { reason, isHeld, failingSince, nextAttemptAt, tries } = webhook;
  if (reason !== undefined) return <p>{t.reasons[reason]}</p>;
  if (isHeld) return <p>{t.heldText}</p>;
  if (failingSince === undefined) return null;
  const now = Date.now();
  return (
    <p>
      {t.failingSince(relative(failingSince, now), tries)}
      {nextAttemptAt !== undefined && Date.parse(nextAttemptAt) > now && (
        <>. {t.next(relative(nextAttemptAt, now))}</>
      )}
    </p>
  );
}

function Behind({ webhook: { eventsBehind, secondsBehind } }: { readonly webhook: Webhook }) {
  const t = webhookWords();
  if (eventsBehind === 0) return <>{t.upToDate}</>;
  const shown = eventsBehind >= 10_000 ? `${count(10_000)}+` : count(eventsBehind);
  const since = secondsBehind === undefined ? undefined : new Date(Date.now() - secondsBehind * 1_000);
  return (
    <>
      {t.eventCount(shown, eventsBehind)}
      {since && <p class="soft">{relative(since.toISOString(), Date.now())}</p>}
    </>
  );
}

interface WebhookDialog {
  readonly of: Webhook;
  readonly onClose: () => void;
}

function RotateForm({
  of,
  onClose,
  onSecret,
}: WebhookDialog & { readonly onSecret: (secret: string) => void }) {
  const t = webhookWords();
  const [overlap, setOverlap] = useState<keyof typeof OVERLAPS>("day");
  const write = useWrite("rotateWebhook");
  return (
    <FormDialog
      title={t.rotateTitle(nameOf(of))}
      save={t.rotateSave}
      isBusy={write.isBusy}
      problem={write.problem}
      shown={[]}
      onSubmit={async () => {
        const answer = await write.run({ webhookId: of.id, overlap: OVERLAPS[overlap] });
        if (!answer) return;
        onClose();
        onSecret(answer.result?.secret ?? "");
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

function SkipDialog({ of, onClose }: WebhookDialog) {
  const t = webhookWords();
  const write = useWrite("skipWebhook");
  return (
    <ConfirmDialog
      title={t.skipTitle}
      confirm={t.skip}
      isBusy={write.isBusy}
      onConfirm={async () => {
        if (await write.run({ webhookId: of.id }, { said: t.skipped })) onClose();
      }}
      onClose={onClose}
    >
      <ProblemNotice problem={write.problem} />
      <p>{t.skipText(count(of.pendingSequence ?? 0))}</p>
    </ConfirmDialog>
  );
}

function ReplayDialog({ of, onClose }: WebhookDialog) {
  const t = webhookWords();
  const write = useWrite("replayWebhook");
  return (
    <ConfirmDialog
      title={t.replayTitle(nameOf(of))}
      confirm={t.replaySave}
      isDangerous={false}
      isBusy={write.isBusy}
      onConfirm={async () => {
        if (await write.run({ webhookId: of.id, from: "start" }, { said: t.replayed })) onClose();
      }}
      onClose={onClose}
    >
      <ProblemNotice problem={write.problem} />
      <p>{t.replayText}</p>
    </ConfirmDialog>
  );
}

function RemoveDialog({ of, onClose }: WebhookDialog) {
  const t = webhookWords();
  const name = nameOf(of);
  const write = useWrite("removeWebhook");
  return (
    <ConfirmDialog
      title={t.removeTitle(name)}
      confirm={t.remove}
      isBusy={write.isBusy}
      onConfirm={async () => {
        if (await write.run({ webhookId: of.id }, { said: t.removed(name) })) onClose();
      }}
      onClose={onClose}
    >
      <ProblemNotice problem={write.problem} />
      <p>{t.removeText}</p>
    </ConfirmDialog>
  );
}
