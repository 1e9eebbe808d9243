import { frameWords } from "../../frame/words.ts";
import { Page } from "../../parts/page.tsx";
import "./clients.css";

export default function ClientsScreen() {
  return <Page title={frameWords().screens.clients}>{null}</Page>;
}
