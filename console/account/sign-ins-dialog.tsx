import { useRead } from "../api/reads.ts";
import { showToast } from "../api/toasts.ts";
import type { Input } from "../api/writes.ts";
import { useWrite } from "../api/writes.ts";
import { useMay, useMe } from "../frame/me.ts";
import { fullDate, localIn, relative } from "../languages/format.ts";
import { Button } from "../parts/button.tsx";
import { Actions, Dialog } from "../parts/dialog.tsx";
import { Badge, ProblemNotice } from "../parts/notice.tsx";
import { Shown } from "../parts/page.tsx";
import { Table } from "../parts/table.tsx";
import { words } from "./words.ts";

/** The browsers that somebody is signed in with. */
export function SignInsDialog({ onClose }: { readonly onClose: () => void }) {
  const t = words();
  const { organization } = useMe();
  const isOwner = useMay("owner");
  const list = useRead("/app/v1/sign-ins");
  const write = useWrite("endSignIn");
  const end = async (input: Input<"endSignIn">) => {
    const answer = await write.run(input);
    if (answer?.result) showToast(t.ended(answer.result.ended));
  };
  const since = (instant: string) => fullDate(localIn(instant, organization.timezone));
  return (
    <Dialog title={t.signIns} onClose={onClose}>
      <p class="soft">{t.signInsText}</p>
      {isOwner && <p class="soft">{t.ownersText}</p>}
      <ProblemNotice problem={write.problem} />
      <Shown reading={list} lines={2}>
        {({ data, total }) => (
          <>
            <Table
              caption={t.signIns}
              rows={data}
              keyOf={({ id }) => id}
              columns={[
                {
                  title: t.device,
                  cell: ({ device = t.unknown, isCurrent }) => (
                    <>
                      <strong>{device}</strong> {isCurrent && <Badge tone="accent">{t.current}</Badge>}
                    </>
                  ),
                },
                { title: t.began, isExtra: true, cell: ({ createdAt }) => since(createdAt) },
                { title: t.lastUse, cell: ({ lastUsedAt }) => relative(lastUsedAt, Date.now()) },
                {
                  title: t.actions,
                  isTitleHidden: true,
                  cell: ({ id, isCurrent }) =>
                    !isCurrent && (
                      <Button isSmall onClick={() => void end({ signInId: id })}>
                        {t.end}
                      </Button>
                    ),
                },
              ]}
            />
            {/* Of an owner it also ends links, whoever has signed out meanwhile. */}
            {(total > 2 || isOwner) && (
              <Actions>
                <Button isBusy={write.isBusy} onClick={() => void end({})}>
                  {t.endOthers}
                </Button>
              </Actions>
            )}
          </>
        )}
      </Shown>
    </Dialog>
  );
}
