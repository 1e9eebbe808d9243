export const CONTRACT_STATUSES = ["active", "paused", "cancelled", "expired"] as const;
export const TERMS_RESPONSES = ["accepted", "declined"] as const;

export type ContractStatus = (typeof CONTRACT_STATUSES)[number];
export type TermsResponse = (typeof TERMS_RESPONSES)[number];
