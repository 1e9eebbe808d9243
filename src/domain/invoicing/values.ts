export const INVOICE_STATUSES = ["open", "paid", "void"] as const;
export const PAYMENT_STATUSES = ["done", "void"] as const;
export const PAYMENT_TYPES = ["payment", "refund"] as const;
export const PAYMENT_METHODS = ["cash", "card", "transfer", "pix", "other"] as const;

export type PaymentMethod = (typeof PAYMENT_METHODS)[number];
