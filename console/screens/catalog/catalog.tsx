import { frameWords } from "../../frame/words.ts";
import { Page } from "../../parts/page.tsx";
import "./catalog.css";

export default function CatalogScreen() {
  return <Page title={frameWords().screens.catalog}>{null}</Page>;
}
