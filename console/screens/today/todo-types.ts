import type { Answer } from "../../api/reads.ts";

export type Todo = Answer<"/app/v1/todo">;
export type TodoName = Exclude<keyof Todo, "$schema">;
