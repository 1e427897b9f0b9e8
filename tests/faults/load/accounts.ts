import { subscribableEvents } from '@app/contracts';
import { eventually } from '@app/testing';
import { newBuyer, ok } from '../../e2e/invoicing.ts';
import { type Member, newCompany, stack } from '../../e2e/platform.ts';
import { type Client, createClient, type Patience } from './client.ts';
import type { Ledger } from './ledger.ts';
import type { Endpoint, Receivers } from './receivers.ts';

/** A client company with its contractor, both subscribed to every event, and its account at the provider. */
export type Account = {
  name: string;
  companyId: string;
  /** The ticket API with API tokens, which do not expire. */
  client: Client;
  contractor: Client;
  /** The second API, with a session. */
  ts: Client;
  contractorTs: Client;
  /** The second API as the platform's operator. */
  operator: Client;
  /** The contractor's entry in the client's directory. */
  contractorId: string;
  provider: { apiKey: string; secret: string };
  endpoints: { client: Endpoint & { id: string }; contractor: Endpoint & { id: string } };
};

type Deps = { ledger: Ledger; patience: Patience; receivers: Receivers };

/** Set up before any fault. */
export async function openAccounts(count: number, deps: Deps): Promise<Account[]> {
  const accounts: Account[] = [];
  // The processes have just started: one may answer too late at first. Each try makes new companies.
  for (let number = 1; number <= count; number++)
    accounts.push(await eventually(() => openAccount(`company-${number}`, deps)));
  return accounts;
}

async function openAccount(name: string, { ledger, patience, receivers }: Deps): Promise<Account> {
  const member = await newCompany('client');
  const { contractor, account: provider } = await newBuyer(member);
  await ok(provider.connect());
  const api = async (who: Member) =>
    createClient({ baseUrl: `${stack().ticketApi}/api/v3.0`, token: await newToken(who), ledger, patience });
  const ts = (token: string) => createClient({ baseUrl: stack().tsApi, token, ledger, patience });
  return {
    name,
    companyId: member.companyId,
    contractorId: contractor.id,
    client: await api(member),
    contractor: await api(contractor),
    ts: ts(member.session),
    contractorTs: ts(contractor.session),
    operator: ts(stack().adminToken),
    provider: { apiKey: provider.apiKey, secret: provider.secret },
    endpoints: {
      client: await subscribe(member, receivers, `${name}-client`),
      contractor: await subscribe(contractor, receivers, `${name}-contractor`),
    },
  };
}

async function newToken(member: Member): Promise<string> {
  return (await ok(member.ts('POST /api-tokens', { name: 'erp' }))).data.token;
}

async function subscribe(member: Member, receivers: Receivers, name: string): Promise<Endpoint & { id: string }> {
  const endpoint = receivers.add(name);
  const url = receivers.receiver.url(endpoint.path);
  const { data } = await ok(member.ts('POST /webhooks/endpoints', { name, url, events: subscribableEvents }));
  return Object.assign(endpoint, { id: data.id as string, secret: data.secret as string });
}
