import type { Access } from '@app/http';

/** The directory of contractors and the referentials belong to clients (design section 6). */
export const clientsOnly: Access = {
  permission: 'tickets',
  only: {
    kind: 'client',
    code: 'clients_only',
    message: 'this operation is for client companies; a contractor has no directory or referentials of its own',
  },
};
