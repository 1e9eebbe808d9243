import { useEffect, useState } from "preact/hooks";
import type { Schemas } from "../../api/operations.ts";
import { refreshReads, useRead } from "../../api/reads.ts";
import { useMe } from "../../frame/me.ts";
import { count, instantTimeIn, relative } from "../../languages/format.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Badge, Notice } from "../../parts/notice.tsx";
import { Shown } from "../../parts/page.tsx";
import { webhookWords } from "./webhook-words.ts";

type Attempt = Schemas["WebhookAttempt"];

/** The result of a test is polled for so often, this far apart. */
const POLL_MS = 1_000;
const POLLS = 25;

/** The status of the answer, or why there was none. */
export function resultOf({ status, failure }: Attempt): string {
  const word = failure && webhookWords().failures[failure];
  return [status, word].filter((part) => part !== undefined).join(" · ");
}

/** What was sent lately, newest first; a test that was just asked for appears by itself. */
export function AttemptsPanel({
  webhookId,
  title,
  testId,
  onClose,
}: {
  readonly webhookId: string;
  readonly title: string;
  readonly testId?: string | undefined;
  readonly onClose: () => void;
}) {
  const t = webhookWords();
  const { organization } = useMe();
  const list = useRead("/app/v1/webhooks/{id}/attempts", { params: { id: webhookId } });
  const [polls, setPolls] = useState(0);
  const isWaiting = testId !== undefined && !list.data?.data.some(({ id }) => id === testId);
  useEffect(() => {
    if (!isWaiting || polls >= POLLS) return;
    const timer = setTimeout(() => {
      refreshReads();
      setPolls(polls + 1);
    }, POLL_MS);
    return () => clearTimeout(timer);
  }, [isWaiting, polls]);
  return (
    <Dialog kind="side" title={title} onClose={onClose}>
      <div class="stack">
        {isWaiting && (
          <p role="status" class="soft">
            {polls < POLLS ? t.testing : t.testNotSent}
          </p>
        )}
        <Shown reading={list}>
          {({ data, total }) =>
            total === 0 ? (
              !isWaiting && <Notice>{t.noAttempts}</Notice>
            ) : (
              <ul class="attempts">
                {data.map((attempt) => (
                  <li key={attempt.id} class="attempt">
                    <p class="attempt-head">
                      <strong>{attempt.event}</strong>
                      {attempt.sequence !== undefined && <span class="soft">{count(attempt.sequence)}</span>}
                      <Badge tone={isGood(attempt) ? "good" : "bad"}>{resultOf(attempt)}</Badge>
                    </p>
                    <p class="soft">
                      {relative(attempt.at, Date.now())} ({instantTimeIn(attempt.at, organization.timezone)})
                      · {t.milliseconds(count(attempt.milliseconds))}
                      {attempt.try > 1 && ` · ${t.nth(attempt.try)}`}
                    </p>
                    {attempt.excerpt !== undefined && <pre class="attempt-excerpt">{attempt.excerpt}</pre>}
                  </li>
                ))}
              </ul>
            )
          }
        </Shown>
      </div>
    </Dialog>
  );
}

function isGood({ status = 0, failure }: Attempt): boolean {
  return failure === undefined && status >= 200 && status < 300;
}
