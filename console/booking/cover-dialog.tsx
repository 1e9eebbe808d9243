import { useState } from "preact/hooks";
import type { Schemas } from "../api/operations.ts";
import { useRead } from "../api/reads.ts";
import { useWrite } from "../api/writes.ts";
import { nameOfClient } from "../languages/client-name.ts";
import { Button } from "../parts/button.tsx";
import { Actions, Dialog } from "../parts/dialog.tsx";
import { ProblemNotice } from "../parts/notice.tsx";
import { Shown } from "../parts/page.tsx";
import { CoverageChoice } from "./coverage-choice.tsx";
import { words } from "./words.ts";

type CoveredLater = Pick<Schemas["RosterBooking"], "id" | "clientId" | "clientName" | "sessionId">;

/** Lets a booking that draws on nothing draw on a contract after all, or says why none covers it yet. */
export function CoverDialog({
  booking,
  onClose,
}: {
  readonly booking: CoveredLater;
  readonly onClose: () => void;
}) {
  const t = words();
  const { id: bookingId, clientId, sessionId } = booking;
  const clientName = nameOfClient(booking.clientName);
  const coverage = useRead("/app/v1/coverage", { query: { clientId, sessionId } });
  const [entitlementId, setEntitlement] = useState<string>();
  const [isSelling, setSelling] = useState(false);
  const cover = useWrite("coverBooking");
  const submit = async () => {
    const input = { bookingId, ...(entitlementId !== undefined && { entitlementId }) };
    if (await cover.run(input, { said: t.covered(clientName) })) onClose();
  };
  return (
    <Dialog title={t.coverTitle(clientName)} onClose={onClose}>
      <Shown reading={coverage} lines={3}>
        {(data) => (
          <form
            class="stack"
            onSubmit={(event) => {
              event.preventDefault();
              void submit();
            }}
          >
            <CoverageChoice
              coverage={data}
              clientId={clientId}
              entitlementId={entitlementId}
              onEntitlement={setEntitlement}
              isSelling={isSelling}
              onSelling={setSelling}
            />
            <ProblemNotice problem={cover.problem} />
            {data.covered && (
              <Actions>
                <Button kind="main" isSubmit isBusy={cover.isBusy} hasFocus>
                  {t.coverIt}
                </Button>
              </Actions>
            )}
          </form>
        )}
      </Shown>
    </Dialog>
  );
}
