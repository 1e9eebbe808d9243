import type { Answer } from "./api.ts";
import type { StaffCallOptions, TestStaff } from "./staff.ts";

/** A form with a file, as a browser sends it. */
export async function fileForm(
  file: string | Uint8Array,
  input?: object,
): Promise<{ readonly raw: Uint8Array; readonly type: string }> {
  const form = new FormData();
  if (input) form.append("input", JSON.stringify(input));
  form.append("file", new Blob([file as Uint8Array<ArrayBuffer>]), "clients.csv");
  const sent = new Response(form);
  return { raw: new Uint8Array(await sent.arrayBuffer()), type: sent.headers.get("content-type") ?? "" };
}

/** Calls an operation that takes a file. */
export async function sendFile(
  person: TestStaff,
  operation: string,
  file: string | Uint8Array,
  input?: object,
  { headers, ...options }: StaffCallOptions = {},
): Promise<Answer> {
  const { raw, type } = await fileForm(file, input);
  return person.write(operation, {}, { ...options, raw, headers: { "content-type": type, ...headers } });
}
