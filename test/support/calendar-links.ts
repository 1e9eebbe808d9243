import assert from "node:assert/strict";
import ICAL from "ical.js";
import nodeIcal from "node-ical";
import type { Answer, TestApi, TestOrganization } from "./api.ts";
import { newStaff, type TestStaff } from "./staff.ts";

/** A studio whose owner makes links to its calendar, all of it through the application. */

export interface LinkedStudio extends TestOrganization {
  readonly owner: TestStaff;
  readonly locationId: string;
  readonly serviceTypeId: string;
  /** The result of a write that must succeed. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came, and asserts on it
  readonly done: (operation: string, input: object) => Promise<any>;
  /** A link, by its path. */
  readonly mint: (input?: object) => Promise<{ readonly id: string; readonly path: string }>;
}

export async function newLinkedStudio(api: TestApi, timezone = "America/Sao_Paulo"): Promise<LinkedStudio> {
  const studio = await api.newOrganization({ timezone, name: "Estúdio Aurora" });
  const owner = await newStaff(api, studio.id);
  const done = async (operation: string, input: object) => {
    const { status, body, text } = await owner.write(operation, input);
    assert.equal(status, 200, text);
    return body.result;
  };
  const { id: locationId } = await done("addLocation", {
    name: "Vila Madalena",
    address: "Rua Harmonia 100",
    timezone,
  });
  const { id: serviceTypeId } = await done("addServiceType", { name: "Pilates", holdsResource: false });
  const mint = async (input: object = {}) => {
    const { id, url } = await done("mintCalendarLink", input);
    return { id, path: new URL(url).pathname };
  };
  return { ...studio, owner, locationId, serviceTypeId, done, mint };
}

/** What a calendar program makes of an event. */
export interface ReadEvent {
  readonly uid: string;
  readonly startAt: string;
  readonly endAt: string;
  readonly summary: string;
  readonly location: string;
  readonly description: string;
  readonly status: string;
  readonly transparency: string;
  readonly sequence: number;
  readonly stamp: string;
}

/** The events of a calendar as two parsers read it, which must agree. */
export function readEvents({ text }: Pick<Answer, "text">): ReadEvent[] {
  const events = readByIcalJs(text);
  assert.deepEqual(readByNodeIcal(text), events);
  return events;
}

function readByIcalJs(text: string): ReadEvent[] {
  const calendar = new ICAL.Component(ICAL.parse(text));
  return calendar.getAllSubcomponents("vevent").map((component) => {
    const event = new ICAL.Event(component);
    const text = (name: string) => String(component.getFirstPropertyValue(name) ?? "");
    return {
      uid: event.uid,
      startAt: event.startDate.toJSDate().toISOString(),
      endAt: event.endDate.toJSDate().toISOString(),
      summary: event.summary,
      location: event.location ?? "",
      description: event.description ?? "",
      status: text("status"),
      transparency: text("transp"),
      sequence: event.sequence,
      stamp: new Date(text("dtstamp")).toISOString(),
    };
  });
}

function readByNodeIcal(text: string): ReadEvent[] {
  return Object.values(nodeIcal.sync.parseICS(text)).flatMap((component) => {
    if (component?.type !== "VEVENT") return [];
    const { uid, start, end, dtstamp } = component;
    const { summary, location = "", description = "", status = "", transparency = "", sequence } = component;
    return [
      {
        uid,
        startAt: start.toISOString(),
        endAt: end?.toISOString() ?? "",
        ...{ summary: String(summary), location: String(location), description: String(description) },
        ...{ status, transparency },
        sequence: Number(sequence),
        stamp: dtstamp.toISOString(),
      },
    ];
  });
}

/** A date so many days from the day of an instant, as the studio's clock has it. */
export function dayAfter(now: number, days: number, timezone = "America/Sao_Paulo"): string {
  return new Intl.DateTimeFormat("en-CA", { timeZone: timezone }).format(now + days * 86_400_000);
}
