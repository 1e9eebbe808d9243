import { frameWords } from "../../frame/words.ts";
import { Page } from "../../parts/page.tsx";
import "./audit.css";

export default function AuditScreen() {
  return <Page title={frameWords().screens.audit}>{null}</Page>;
}
