import { frameWords } from "../../frame/words.ts";
import { Page } from "../../parts/page.tsx";
import "./import.css";

export default function ImportScreen() {
  return <Page title={frameWords().screens.import}>{null}</Page>;
}
