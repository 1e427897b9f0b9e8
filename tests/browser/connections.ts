import { type Account, ok } from '../e2e/invoicing.ts';

const made: { account: Account; id: string }[] = [];

/** Connects the client until `disconnectAll`. @returns the id of the connection */
export async function connect(account: Account): Promise<string> {
  const { id } = (await ok(account.connect())).data;
  made.push({ account, id });
  return id;
}

/** In an `afterEach` or `afterAll`: the platform would poll the connections each second until the end of the run. */
export async function disconnectAll(): Promise<void> {
  const ended = made.splice(0).map(({ account, id }) => ok(account.client.ts(`DELETE /invoice-connections/${id}`)));
  await Promise.all(ended);
}
