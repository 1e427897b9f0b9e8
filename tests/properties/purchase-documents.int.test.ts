import { type PurchaseKind, purchaseKinds } from '@app/contracts';
import { newId } from '@app/kernel';
import fc from 'fast-check';
import type { FakeTicket } from '../../services/purchase/test/fake-ticket-service.ts';
import { type Client, outcome, type Purchases, startPurchases } from '../../services/purchase/test/purchase-service.ts';
import { checkAsyncProperty } from './check-property.ts';

const actors = ['client', 'contractor', 'stranger'] as const;
type Actor = (typeof actors)[number];
type Changes = { reference?: string; amount?: number; order?: number };

type Step =
  | { do: 'create'; by: Actor; kind: PurchaseKind; reference: string; order: number | null; times: number }
  | { do: 'amend'; by: Actor; document: number; changes: Changes }
  | { do: 'remove'; by: Actor; document: number }
  | { do: 'turn'; of: Actor; status: 'opened' | 'canceled' };

/** What the rules of docs/purchases.md leave of a document. */
type Document = {
  id: string;
  by: Actor;
  kind: PurchaseKind;
  reference: string;
  order: string | null;
  amount: number | null;
  version: number;
  deleted: boolean;
};

const ok = (status: number) => [[status, undefined]];

/** A ticket of its own, and beside it what the documents on it should be by now. */
class World {
  readonly documents: Document[] = [];
  readonly #service: Purchases;
  readonly #clients: Record<Actor, Client>;
  readonly #ticket: FakeTicket;

  constructor(service: Purchases) {
    this.#service = service;
    this.#clients = { client: service.as(), contractor: service.as(), stranger: service.as() };
    const { client, contractor } = this.#clients;
    this.#ticket = service.tickets.add(client.id);
    this.#ticket.contractor = { contractor_id: newId(), company_id: contractor.id };
    const view = { view_id: newId(), role: 'contractor', state: 'active', status: 'opened' } as const;
    this.#ticket.views.set(contractor.id, view);
  }

  async take(step: Step): Promise<void> {
    if (step.do === 'create') await this.#create(step);
    if (step.do === 'amend') await this.#amend(step);
    if (step.do === 'remove') await this.#remove(step);
    if (step.do === 'turn') this.#turn(step);
    const stored = await this.#service.stored({ ticket_id: this.#ticket.id });
    const actorOf = (company: string) => actors.find((actor) => this.#clients[actor].id === company);
    const found = stored.map(({ _id: id, kind, reference, amount, version, deleted, ...one }) => ({
      ...{ id, by: actorOf(one.buyer_company_id), kind, reference, order: one.purchase_order_id },
      ...{ amount, version, deleted },
    }));
    expect(found.toSorted(byId)).toEqual(this.documents.toSorted(byId));
  }

  /** `times` identical requests at once. */
  async #create({ by, kind, reference, order, times }: Extract<Step, { do: 'create' }>): Promise<void> {
    const linked = order === null ? null : (this.#at(order)?.id ?? newId());
    const body = { kind, reference, ...(linked === null ? {} : { purchase_order_id: linked }) };
    const known = this.#live().find((one) => one.by === by && one.kind === kind && one.reference === reference);
    const refused = this.#refusalOfCreation(by, kind, linked);
    const request = () => this.#clients[by].create(this.#ticket.id, body);
    const answers = await Promise.all(Array.from({ length: times }, request));
    const created = answers.filter(({ status }) => status === 201);
    if (by === 'stranger') expect(answers.map(outcome)).toEqual(answers.map(() => [404, 'purchase_ticket_not_found']));
    else if (known) expect(answers.map(idOf)).toEqual(answers.map(() => [200, known.id]));
    else if (refused) expect(answers.map(outcome)).toEqual(answers.map(() => refused));
    else {
      expect(created).toHaveLength(1);
      const id = created[0]?.data.purchase.id;
      expect(answers.map(({ data }) => data.purchase.id)).toEqual(answers.map(() => id));
      this.documents.push({ id, by, kind, reference, order: linked, amount: null, version: 1, deleted: false });
    }
  }

  async #amend({ by, document, changes }: Extract<Step, { do: 'amend' }>): Promise<void> {
    const target = this.#at(document);
    const { order, ...fields } = changes;
    const linked = order === undefined ? {} : { purchase_order_id: this.#at(order)?.id ?? newId() };
    const answer = await this.#clients[by].patch(this.#ticket.id, target?.id ?? newId(), { ...fields, ...linked });
    const changed = { ...fields, ...(order === undefined ? {} : { order: linked.purchase_order_id as string }) };
    const refused = this.#refusalOfChange(by, target) ?? this.#conflictsOf(target as Document, changed);
    expect(refused ?? ok(200)).toContainEqual(outcome(answer));
    if (refused || !target) return;
    const differs = Object.entries(changed).some(([name, value]) => target[name as keyof Document] !== value);
    if (differs) Object.assign(target, changed, { version: target.version + 1 });
  }

  async #remove({ by, document }: Extract<Step, { do: 'remove' }>): Promise<void> {
    const target = this.#at(document);
    const answer = await this.#clients[by].remove(this.#ticket.id, target?.id ?? newId());
    const refused = this.#refusalOfChange(by, target);
    expect(refused ?? ok(204)).toContainEqual(outcome(answer));
    if (!refused && target) Object.assign(target, { deleted: true, version: target.version + 1 });
  }

  #turn({ of, status }: Extract<Step, { do: 'turn' }>): void {
    const view = this.#ticket.views.get(this.#clients[of].id);
    if (view) view.status = status;
  }

  #refusalOfCreation(by: Actor, kind: PurchaseKind, order: string | null): [number, string] | null {
    if (!this.#takesWritesOf(by)) return [409, 'purchase_ticket_state_forbidden'];
    if (order === null) return null;
    if (kind !== 'goods_receipt') return [422, 'purchase_order_link_only_on_goods_receipt'];
    if (!this.#isOrderOf(by, order)) return [422, 'purchase_order_not_found'];
    return this.#live().some((one) => one.order === order) ? [409, 'purchase_goods_receipt_already_exists'] : null;
  }

  /** The answers to expect if the caller may not change the document; null if it may. */
  #refusalOfChange(by: Actor, target: Document | undefined): [number, string][] | null {
    if (by === 'stranger') return [[404, 'purchase_ticket_not_found']];
    const isSupplier = by === 'contractor' && target?.by === 'client' && target.kind === 'purchase_order';
    if (!target || target.deleted || (target.by !== by && !isSupplier)) return [[404, 'purchase_not_found']];
    if (target.by !== by) return [[403, 'purchase_no_access']];
    return this.#takesWritesOf(by) ? null : [[409, 'purchase_ticket_state_forbidden']];
  }

  /**
   * The answers to expect if the change conflicts with other documents. If two indexes refuse it,
   * either answer may come.
   */
  #conflictsOf(
    target: Document,
    { reference, order }: { reference?: string; order?: string },
  ): [number, string][] | null {
    const { by, kind } = target;
    if (order !== undefined && kind !== 'goods_receipt') return [[422, 'purchase_order_link_only_on_goods_receipt']];
    if (order !== undefined && order !== target.order && !this.#isOrderOf(by, order))
      return [[422, 'purchase_order_not_found']];
    const others = this.#live().filter((one) => one !== target);
    const conflicts: [number, string][] = [];
    if (others.some((one) => one.by === by && one.kind === kind && one.reference === reference))
      conflicts.push([409, 'purchase_duplicate_reference']);
    if (order !== undefined && others.some((one) => one.order === order))
      conflicts.push([409, 'purchase_goods_receipt_already_exists']);
    return conflicts.length > 0 ? conflicts : null;
  }

  #takesWritesOf(by: Actor): boolean {
    return this.#ticket.views.get(this.#clients[by].id)?.status !== 'canceled';
  }

  #isOrderOf(by: Actor, id: string): boolean {
    return this.#live().some((one) => one.id === id && one.by === by && one.kind === 'purchase_order');
  }

  #live(): Document[] {
    return this.documents.filter(({ deleted }) => !deleted);
  }

  #at(index: number): Document | undefined {
    return this.documents[index % (this.documents.length + 1)];
  }
}

const byId = (a: { id: string }, b: { id: string }) => a.id.localeCompare(b.id);
const idOf = ({ status, data }: { status: number; data: { purchase?: { id: string } } }) => [status, data.purchase?.id];

const by = fc.constantFrom<Actor>('client', 'client', 'client', 'contractor', 'contractor', 'stranger');
const kind = fc.constantFrom(...purchaseKinds);
const reference = fc.constantFrom('A', 'B');
const document = fc.nat({ max: 9 });
const times = fc.constantFrom(1, 1, 3);
const changes = fc.record({ reference, amount: fc.constantFrom(1, 2), order: document }, { requiredKeys: ['amount'] });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('create' as const),
      by,
      kind,
      reference,
      order: fc.option(document),
      times,
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('amend' as const), by, document, changes }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), by, document }) },
  fc.record({
    do: fc.constant('turn' as const),
    of: by,
    status: fc.constantFrom('opened' as const, 'canceled' as const),
  }),
);

let service: Purchases;
beforeAll(async () => {
  service = await startPurchases({ ticketTimes: { contextTimeoutMs: 120_000, pushTimeoutMs: 120_000 } });
});
afterAll(() => service.drop());

test('whatever client, contractor and strangers write, in any order, is answered and stored as the rules say', () =>
  checkAsyncProperty(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
      const world = new World(service);
      for (const one of steps) await world.take(one);
    }),
  ));
