import "./navigator.ts";

export { default } from "pg";
