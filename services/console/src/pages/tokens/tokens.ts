import type { TsSchemas } from '@app/api-client';
import { useMutation } from '@tanstack/react-query';
import { call, ts } from '../../api/client.ts';
import { pageOf, pageQuery, usePages } from '../../api/pages.ts';
import { queryClient } from '../../api/query.ts';

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
  return useMutation({
    mutationFn: (body: TokenInput) => call(ts.POST('/api-tokens', { body })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: tokensKey }),
  });
}

export function useRevokeToken() {
  return useMutation({
    mutationFn: (id: string) => call(ts.DELETE('/api-tokens/{id}', { params: { path: { id } } })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: tokensKey }),
  });
}
