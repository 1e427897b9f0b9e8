/** What a user may do; `admin` includes all others within its company. */
export const permissions = ['accounting', 'api_webhooks', 'tickets', 'admin'] as const;
export type Permission = (typeof permissions)[number];

/** What an API token may be limited to. */
export const scopes = ['tickets:read', 'tickets:write', 'purchases:write'] as const;
export type Scope = (typeof scopes)[number];
