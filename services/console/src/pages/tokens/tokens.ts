import type { TsSchemas } from '@app/api-client';
import { call, ts } from '../../api/client.ts';
import { pageOf, pageQuery, usePages } from '../../api/pages.ts';
import { useChange } from '../../api/query.ts';

export type ApiToken = TsSchemas['ApiToken'];
export type Scope = NonNullable<ApiToken['scopes']>[number];

const tokensKey = ['tokens'];

export function useTokens() {
  return usePages({
    key: tokensKey,
    read: (cursor, signal) => pageOf(ts.GET('/api-tokens', { params: { query: pageQuery(cursor) }, signal })),
  });
}

export type TokenInput = { name: string; scopes?: Scope[]; expires_at?: string };

export function useCreateToken() {
  return useChange(tokensKey, (body: TokenInput) => call(ts.POST('/api-tokens', { body })));
}

export function useRevokeToken() {
  return useChange(tokensKey, (id: string) => call(ts.DELETE('/api-tokens/{id}', { params: { path: { id } } })));
}
