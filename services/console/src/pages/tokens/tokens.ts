import type { TsSchemas } from '@app/api-client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call, ts } from '../../api/client.ts';
import { pageOf, pageQuery, usePages } from '../../api/pages.ts';

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
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: TokenInput) => call(ts.POST('/api-tokens', { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: tokensKey }),
  });
}

export function useRevokeToken() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => call(ts.DELETE('/api-tokens/{id}', { params: { path: { id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: tokensKey }),
  });
}
