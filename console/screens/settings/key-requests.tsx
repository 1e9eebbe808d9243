import { useState } from "preact/hooks";
import type { Schemas } from "../../api/operations.ts";
import { useRead } from "../../api/reads.ts";
import { useMe } from "../../frame/me.ts";
import { count, fullDate, instantTimeIn, localIn } from "../../languages/format.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { CheckField } from "../../parts/field.tsx";
import { Badge, Notice } from "../../parts/notice.tsx";
import { Shown } from "../../parts/page.tsx";
import { requestWords } from "./request-words.ts";

type Request = Schemas["KeyRequest"];

/** What came with a key lately and how it was answered, newest first. */
export function RequestsPanel({
  keyId,
  title,
  onClose,
}: {
  readonly keyId: string;
  readonly title: string;
  readonly onClose: () => void;
}) {
  const t = requestWords();
  const [onlyFailed, setOnlyFailed] = useState(false);
  return (
    <Dialog kind="side" title={title} onClose={onClose}>
      <div class="stack">
        <p class="soft">
          {t.text}{" "}
          <a href="/docs/errors" target="_blank" rel="noreferrer">
            {t.meaning}
          </a>
        </p>
        <CheckField label={t.onlyFailed} isChecked={onlyFailed} onChange={setOnlyFailed} />
        <RequestPage key={String(onlyFailed)} keyId={keyId} onlyFailed={onlyFailed} />
      </div>
    </Dialog>
  );
}

/** One page and those after it: each begins where the one before it ends. */
function RequestPage({
  keyId,
  onlyFailed,
  cursor,
}: {
  readonly keyId: string;
  readonly onlyFailed: boolean;
  readonly cursor?: string;
}) {
  const t = requestWords();
  const [isContinued, setContinued] = useState(false);
  const page = useRead(
    "/app/v1/keys/{id}/requests",
    { params: { id: keyId }, query: { show: onlyFailed ? "failed" : undefined, cursor } },
    { keepsLast: true },
  );
  return (
    <Shown reading={page} lines={6}>
      {({ data, leftOut, nextCursor }) => (
        <>
          {data.length === 0 && leftOut === 0 && cursor === undefined && (
            <Notice>{onlyFailed ? t.noneFailed : t.none}</Notice>
          )}
          <ul class="attempts">
            {data.map((request, place) => (
              <RequestLine key={`${request.requestId} ${place}`} request={request} />
            ))}
          </ul>
          {leftOut > 0 && <p class="soft">{t.leftOut(count(leftOut), leftOut)}</p>}
          {nextCursor !== undefined &&
            (isContinued ? (
              <RequestPage keyId={keyId} onlyFailed={onlyFailed} cursor={nextCursor} />
            ) : (
              <div>
                <Button icon="down" onClick={() => setContinued(true)}>
                  {t.more}
                </Button>
              </div>
            ))}
        </>
      )}
    </Shown>
  );
}

function RequestLine({ request }: { readonly request: Request }) {
  const t = requestWords();
  const { organization } = useMe();
  const { at, operation, status, milliseconds, requestId, code, errors = [], errorCount = 0 } = request;
  const more = errorCount - errors.length;
  return (
    <li class="unbroken">
      <p class="attempt-head">
        <strong>{operation}</strong>
        <Badge tone={status < 400 ? "good" : "bad"}>
          {[status, code].filter((part) => part !== undefined).join(" · ")}
        </Badge>
      </p>
      {errors.map((fault, place) => (
        // Two members that are not known have the same place and code.
        <p key={`${fault.location} ${fault.code} ${place}`}>
          <code>{fault.location}</code> {fault.code}
        </p>
      ))}
      {more > 0 && <p>{t.moreFaults(more)}</p>}
      <p class="soft">
        {fullDate(localIn(at, organization.timezone))} {instantTimeIn(at, organization.timezone)} ·{" "}
        {t.milliseconds(count(milliseconds))} · {requestId}
      </p>
    </li>
  );
}
