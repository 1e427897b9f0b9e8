import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import type { Permission } from '../session/permissions.ts';

/**
 * Who may see a page. `permission` null: every signed-in user; `platform`: whoever enters the platform's token,
 * without an account.
 */
export type PageAccess = { permission: Permission | null | 'platform'; company?: 'client' | 'contractor' };

/** One page. `path` as wouter has it: `/invoices/:id?`. */
export type PageRoute = PageAccess & { path: string; page: LazyExoticComponent<ComponentType> };

/** A page whose code is loaded when it is first shown. */
export function lazyPage(path: string, access: PageAccess, load: () => Promise<ComponentType>): PageRoute {
  return { ...access, path, page: lazy(async () => ({ default: await load() })) };
}
