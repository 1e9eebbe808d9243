import type { Answer } from "../api/reads.ts";
import { useRead } from "../api/reads.ts";

type Me = Answer<"/app/v1/me">;
export type StaffRole = Me["staff"]["role"];

const RANK: Record<StaffRole, number> = { teacher: -1, front_desk: 0, manager: 1, owner: 2 };

/** Who is signed in. Inside of the shell they are known. */
export function useMe(): Me {
  const { data } = useRead("/app/v1/me");
  if (!data) throw new Error("a screen was drawn before somebody was signed in");
  return data;
}

/** Whether the person has a role or one above it. */
export function useMay(role: StaffRole): boolean {
  return isAtLeast(useMe().staff.role, role);
}

export function isAtLeast(role: StaffRole, needed: StaffRole): boolean {
  return RANK[role] >= RANK[needed];
}
