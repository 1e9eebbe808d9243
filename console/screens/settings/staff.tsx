import { useState } from "preact/hooks";
import type { Schemas } from "../../api/operations.ts";
import { useRead } from "../../api/reads.ts";
import { useWrite } from "../../api/writes.ts";
import { useMe } from "../../frame/me.ts";
import { listOf } from "../../languages/format.ts";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog } from "../../parts/form-dialog.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Badge, Notice, ProblemNotice } from "../../parts/notice.tsx";
import { Shown } from "../../parts/page.tsx";
import { Table } from "../../parts/table.tsx";
import { LinkDialog, type MadeLink } from "./link-dialog.tsx";
import { LostOwner } from "./lost-owner.tsx";
import { OpenLinks } from "./open-links.tsx";
import { StaffForm } from "./staff-form.tsx";
import { words } from "./words.ts";

type Staff = Schemas["Staff"];

/** Who works here, how they get in, and how they leave. */
export function StaffList() {
  const t = words();
  const { staff: me } = useMe();
  const list = useRead("/app/v1/staff");
  const locations = useRead("/app/v1/locations").data?.data ?? [];
  const [edited, setEdited] = useState<Staff | "new">();
  const [link, setLink] = useState<MadeLink>();
  const [linked, setLinked] = useState<Staff>();
  const [removed, setRemoved] = useState<Staff>();
  const placesOf = ({ allLocations, locationIds }: Staff) =>
    allLocations
      ? t.allPlaces
      : listOf(locations.filter(({ id }) => locationIds.includes(id)).map(({ name }) => name));
  return (
    <>
      <div class="settings-head">
        <Button kind="main" icon="plus" onClick={() => setEdited("new")}>
          {t.invite}
        </Button>
      </div>
      <Shown reading={list}>
        {({ data }) => (
          <Table
            caption={t.staff}
            rows={data.filter(({ status }) => status !== "removed")}
            keyOf={({ id }) => id}
            columns={[
              {
                title: t.name,
                cell: ({ id, name, email, status }) => (
                  <>
                    <strong>{name}</strong> {id === me.id && <Badge tone="accent">{t.you}</Badge>}{" "}
                    {status === "invited" && <Badge tone="warning">{t.statuses.invited}</Badge>}
                    <p class="soft settings-email">{email}</p>
                  </>
                ),
              },
              { title: t.role, cell: ({ role }) => t.roles[role] },
              { title: t.places, isExtra: true, cell: placesOf },
              {
                title: t.actionsTitle,
                isTitleHidden: true,
                cell: (person) => (
                  <Menu
                    label={t.actions(person.name)}
                    items={[
                      { label: t.edit, icon: "edit", onChoose: () => setEdited(person) },
                      { label: t.newLink, icon: "link", onChoose: () => setLinked(person) },
                      {
                        label: t.remove,
                        icon: "delete",
                        isDangerous: true,
                        onChoose: () => setRemoved(person),
                      },
                    ]}
                  />
                ),
              },
            ]}
          />
        )}
      </Shown>
      <OpenLinks />
      {list.data && <LostOwner staff={list.data.data} />}
      {edited && (
        <StaffForm
          {...(edited !== "new" && {
            person: list.data?.data.find(({ id }) => id === edited.id) ?? edited,
          })}
          locations={locations}
          onClose={() => setEdited(undefined)}
          onLink={setLink}
        />
      )}
      {linked && <NewLinkDialog person={linked} onClose={() => setLinked(undefined)} onLink={setLink} />}
      {removed && (
        <RemoveDialog person={removed} isMe={removed.id === me.id} onClose={() => setRemoved(undefined)} />
      )}
      {link && <LinkDialog link={link} onClose={() => setLink(undefined)} />}
    </>
  );
}

function NewLinkDialog({
  person,
  onClose,
  onLink,
}: {
  readonly person: Staff;
  readonly onClose: () => void;
  readonly onLink: (link: MadeLink) => void;
}) {
  const t = words();
  const write = useWrite("linkStaff");
  return (
    <ConfirmDialog
      title={t.newLinkTitle(person.name)}
      confirm={t.makeLink}
      isDangerous={false}
      isBusy={write.isBusy}
      onConfirm={async () => {
        const answer = await write.run({ staffId: person.id });
        if (!answer?.result) return;
        onClose();
        onLink({ ...answer.result, name: person.name });
      }}
      onClose={onClose}
    >
      <ProblemNotice problem={write.problem} />
      <p>{t.newLinkText}</p>
    </ConfirmDialog>
  );
}

function RemoveDialog({
  person,
  isMe,
  onClose,
}: {
  readonly person: Staff;
  readonly isMe: boolean;
  readonly onClose: () => void;
}) {
  const t = words();
  const write = useWrite("removeStaff");
  return (
    <ConfirmDialog
      title={t.removeTitle(person.name)}
      confirm={t.remove}
      isBusy={write.isBusy}
      onConfirm={async () => {
        if (await write.run({ staffId: person.id }, { said: t.removed(person.name) })) onClose();
      }}
      onClose={onClose}
    >
      <ProblemNotice problem={write.problem} />
      {isMe && <Notice tone="warning">{t.removeYou}</Notice>}
      <p>{t.removeText}</p>
      {person.role === "owner" && <p>{t.removeOwner}</p>}
      <p class="soft">{t.removeBack}</p>
    </ConfirmDialog>
  );
}
