import type { Uploads } from "./operations.ts";
import { refreshReads } from "./reads.ts";
import { send } from "./writes.ts";

export type UploadInput<Name extends keyof Uploads> = Uploads[Name]["input"];
export type UploadAnswer<Name extends keyof Uploads> = Uploads[Name]["answer"];

/** Has a file looked at; nothing is written. Without a connection it waits, as a write does. */
export function sendFile<Name extends keyof Uploads>(
  name: Name,
  file: Blob,
  input: UploadInput<Name>,
): Promise<UploadAnswer<Name>> {
  return send(name, formOf(file, input));
}

/** Writes what a file has, once, however often it must be sent. */
export async function writeFile<Name extends keyof Uploads>(
  name: Name,
  file: Blob,
  input: UploadInput<Name>,
): Promise<UploadAnswer<Name>> {
  const answer = await send<UploadAnswer<Name>>(name, formOf(file, input), crypto.randomUUID());
  refreshReads();
  return answer;
}

function formOf(file: Blob, input: object): FormData {
  const form = new FormData();
  form.append("input", JSON.stringify(input));
  form.append("file", file);
  return form;
}
