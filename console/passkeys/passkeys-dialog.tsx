import { useState } from "preact/hooks";
import type { Schemas } from "../api/operations.ts";
import { Problem } from "../api/problem.ts";
import { useRead } from "../api/reads.ts";
import { useWrite } from "../api/writes.ts";
import { relative } from "../languages/format.ts";
import { Button } from "../parts/button.tsx";
import { Actions, Dialog } from "../parts/dialog.tsx";
import { TextField } from "../parts/field.tsx";
import { ConfirmDialog, FormDialog } from "../parts/form-dialog.tsx";
import { Notice, ProblemNotice } from "../parts/notice.tsx";
import { Shown } from "../parts/page.tsx";
import { Table } from "../parts/table.tsx";
import { canUsePasskeys } from "./can-use.ts";
import { makePasskey } from "./ceremonies.ts";
import { words } from "./words.ts";

type Passkey = Schemas["Passkey"];

/** The passkeys of whoever is signed in. */
export function PasskeysDialog({ onClose }: { readonly onClose: () => void }) {
  const t = words();
  const list = useRead("/app/v1/passkeys");
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<Passkey>();
  return (
    <Dialog title={t.title} onClose={onClose}>
      <p class="soft">{t.text}</p>
      <Shown reading={list} lines={2}>
        {({ data }) =>
          data.length === 0 ? (
            <p>{t.none}</p>
          ) : (
            <Table
              caption={t.title}
              rows={data}
              keyOf={({ id }) => id}
              columns={[
                { title: t.name, cell: ({ name }) => <strong>{name}</strong> },
                {
                  title: t.lastUse,
                  cell: ({ lastUsedAt }) => (lastUsedAt ? relative(lastUsedAt, Date.now()) : t.neverUsed),
                },
                {
                  title: t.actions,
                  isTitleHidden: true,
                  cell: (passkey) => (
                    <Button isSmall onClick={() => setRemoved(passkey)}>
                      {t.remove}
                    </Button>
                  ),
                },
              ]}
            />
          )
        }
      </Shown>
      {canUsePasskeys() ? (
        <Actions>
          <Button kind="main" icon="plus" onClick={() => setAdding(true)}>
            {t.add}
          </Button>
        </Actions>
      ) : (
        <Notice>{t.notHere}</Notice>
      )}
      {isAdding && <AddForm onClose={() => setAdding(false)} />}
      {removed && <RemoveDialog of={removed} onClose={() => setRemoved(undefined)} />}
    </Dialog>
  );
}

/** The kind of device, as a first name for a passkey. */
function deviceName(): string {
  const [name = ""] = /iPhone|iPad|Android|Windows|Mac|Linux/.exec(navigator.userAgent) ?? [];
  return name;
}

function AddForm({ onClose }: { readonly onClose: () => void }) {
  const t = words();
  const [name, setName] = useState(deviceName);
  const [asking, setAsking] = useState<{ isBusy: boolean; message?: string; problem?: Problem }>({
    isBusy: false,
  });
  const write = useWrite("addPasskey");
  const add = async () => {
    if (asking.isBusy) return;
    write.forget();
    setAsking({ isBusy: true });
    try {
      const made = await makePasskey();
      if (typeof made === "string") {
        setAsking({ isBusy: false, message: made === "known" ? t.known : t.notMade });
        return;
      }
      const called = name.trim();
      setAsking({ isBusy: false });
      if (await write.run({ name: called, credential: made }, { said: t.added(called) })) onClose();
    } catch (error) {
      if (!(error instanceof Problem)) setAsking({ isBusy: false, message: t.notMade });
      else setAsking({ isBusy: false, problem: error });
    }
  };
  return (
    <FormDialog
      title={t.add}
      save={t.save}
      isBusy={asking.isBusy || write.isBusy}
      problem={asking.problem ?? write.problem}
      shown={["name"]}
      onSubmit={() => void add()}
      onClose={onClose}
    >
      {asking.message && <Notice tone="bad">{asking.message}</Notice>}
      <TextField
        label={t.name}
        hint={t.nameHint}
        value={name}
        onInput={setName}
        fault={write.problem?.faultAt("name")}
        maxLength={100}
        isRequired
        hasFocus
      />
      <p class="soft">{t.addText}</p>
    </FormDialog>
  );
}

function RemoveDialog({ of: { id, name }, onClose }: { readonly of: Passkey; readonly onClose: () => void }) {
  const t = words();
  const write = useWrite("removePasskey");
  return (
    <ConfirmDialog
      title={t.removeTitle(name)}
      confirm={t.remove}
      isBusy={write.isBusy}
      onConfirm={async () => {
        if (await write.run({ passkeyId: id }, { said: t.removed(name) })) onClose();
      }}
      onClose={onClose}
    >
      <ProblemNotice problem={write.problem} />
      <p>{t.removeText}</p>
    </ConfirmDialog>
  );
}
