import type { TicketApi } from '@app/api-client';
import { euros } from '../../invoices/invoice.ts';
import { pdfOf } from '../../invoices/pdf.ts';
import type { Actors } from '../calls/actors.ts';
import { type Answer, CallFailed, type Data, ok } from '../calls/calls.ts';
import { contractors } from '../plan/people.ts';
import type { PlannedTicket } from '../plan/week-plan.ts';

/**
 * `today`: the day from which the dates of the ticket are counted. `until`: waits for a moment of a story that takes longer than a
 * day (`later`); without it everything happens today.
 */
type Setting = { actors: Actors; today: Date; signal: AbortSignal; until?: (moment: Date) => Promise<void> };

type Category = 'visit' | 'intervention';
type Move = 'qualify' | 'accept' | 'take-charge' | 'ask-to-plan' | 'ask-for-date' | 'remove';

const dayMs = 86_400_000;
const hourMs = 3_600_000;

/**
 * What people and systems do with one ticket of the week. Each POST has an idempotency key made of
 * the ticket's reference and the number of the call: calls that an interrupted start made may be
 * repeated, and do nothing twice.
 */
export class TicketLife {
  readonly plan: PlannedTicket;
  id = '';
  readonly #setting: Setting;
  readonly #isAgain: boolean;
  #quoteId = '';
  #orderId = '';
  #dateId = '';
  #told = 0;
  #now: Date;

  /** `isAgain`: an earlier start made some of these calls. */
  constructor(setting: Setting, plan: PlannedTicket, isAgain: boolean) {
    this.#setting = setting;
    this.plan = plan;
    this.#isAgain = isAgain;
    this.#now = setting.today;
  }

  get now(): Date {
    return this.#now;
  }

  /** What follows happens so many days later. */
  async later(days: number): Promise<void> {
    this.#now = new Date(this.#now.getTime() + days * dayMs);
    await this.#setting.until?.(this.#now);
  }

  async create(more: { draft?: true } = {}): Promise<void> {
    const { actors } = this.#setting;
    const { title, description, priority, location, trade, reference } = this.plan;
    const body = {
      title,
      description,
      priority,
      ...more,
      location_ids: [actors.locationIds[location] as string],
      equipment_ids: [actors.equipmentIds[trade] as string],
      job_ids: [actors.jobIds[trade] as string],
      fields: [{ field_id: actors.referenceField, value: reference }],
    };
    const { header } = this.#post();
    const made = await this.#do(() => this.#manager.POST('/api/v3.0/tickets', { params: { header }, body }));
    this.id = made?.ticket_id ?? '';
  }

  /** What the manager or the contractor does without saying more. */
  async move(by: 'manager' | 'contractor', name: Move): Promise<void> {
    const api = by === 'manager' ? this.#manager : this.#contractor;
    const params = this.#post();
    await this.#do(() => api.POST(`/api/v3.0/tickets/{ticket_id}/${name}`, { params }));
  }

  /** To the contractor of the trade, and to as many others. */
  async propose(others: number): Promise<void> {
    const { contractorIds } = this.#setting.actors;
    const positions = Array.from({ length: others + 1 }, (_, next) => (this.plan.trade + next) % contractorIds.length);
    const body = { contractor_ids: positions.map((position) => contractorIds[position] as string) };
    const params = this.#post();
    await this.#do(() => this.#manager.POST('/api/v3.0/tickets/{ticket_id}/propose', { params, body }));
  }

  async decline(reason: string): Promise<void> {
    const params = this.#post();
    await this.#do(() => this.#contractor.POST('/api/v3.0/tickets/{ticket_id}/decline', { params, body: { reason } }));
  }

  async assign(): Promise<void> {
    const body = { contractor_id: this.#setting.actors.contractorIds[this.plan.trade] as string };
    const params = this.#post();
    await this.#do(() => this.#manager.POST('/api/v3.0/tickets/{ticket_id}/assign', { params, body }));
  }

  /** `day`: from its present day on, negative in the past. */
  async date(category: Category, type: 'planned' | 'actual', day: number): Promise<void> {
    const midnight = Math.floor(this.#now.getTime() / dayMs) * dayMs;
    const start = midnight + day * dayMs + (7 + (this.plan.turn % 9)) * hourMs;
    const body = { category, type, start, end: start + 2 * hourMs };
    const params = this.#post();
    const made = await this.#do(() => this.#contractor.POST('/api/v3.0/tickets/{ticket_id}/dates', { params, body }));
    this.#dateId = made?.date._id ?? '';
  }

  /** Nobody came on the last planned date. */
  async miss(): Promise<void> {
    const params = { path: { ticket_id: this.id, date_id: this.#dateId } };
    const path = '/api/v3.0/tickets/{ticket_id}/dates/{date_id}/not-done';
    await this.#do(() => this.#contractor.PUT(path, { params, body: {} }));
  }

  async reschedule(): Promise<void> {
    const params = this.#post();
    await this.#do(() => this.#contractor.POST('/api/v3.0/tickets/{ticket_id}/reschedule', { params, body: {} }));
  }

  async quote(): Promise<void> {
    const { quote: reference, title, parts, cents, trade } = this.plan;
    const supplier = contractors[trade]?.company.name ?? '';
    const total = `Total HT : ${euros(cents)} EUR`;
    const file = pdfOf([[supplier, `Devis ${reference}`, '', title, `Fourniture : ${parts}`, total]]);
    const body = { reference, price: euros(cents), file: new File([new Uint8Array(file)], `${reference}.pdf`) };
    const params = this.#post();
    const made = await this.#do(() =>
      this.#contractor.POST('/api/v3.0/tickets/{ticket_id}/quotes', { params, body: body as never }),
    );
    this.#quoteId = made?.quote._id ?? '';
  }

  async decideQuote(decision: 'validate' | 'decline'): Promise<void> {
    const params = { path: { ticket_id: this.id, quote_id: this.#quoteId } };
    await this.#do(() => this.#manager.PUT(`/api/v3.0/tickets/{ticket_id}/quotes/{quote_id}/${decision}`, { params }));
  }

  async purchase(kind: 'purchase_request' | 'purchase_order' | 'goods_receipt', day: number): Promise<void> {
    const reference = this.plan.order.replace(
      'BC',
      { purchase_request: 'DA', purchase_order: 'BC', goods_receipt: 'BR' }[kind],
    );
    const date = new Date(this.#now.getTime() + day * dayMs).toISOString().slice(0, 10);
    const link = kind === 'goods_receipt' ? { purchase_order_id: this.#orderId } : { quote_id: this.#quoteId || null };
    const amount = kind === 'goods_receipt' ? null : this.plan.cents / 100;
    const body = { kind, reference, source_system: 'ERP', date, amount, ...link };
    const params = this.#post();
    const { purchasing } = this.#setting.actors;
    const made = await this.#do(() => purchasing.POST('/api/v3.0/tickets/{ticket_id}/purchases', { params, body }));
    if (kind === 'purchase_order') this.#orderId = made?.purchase.id ?? '';
  }

  async orderFile(): Promise<void> {
    const { order, title, cents } = this.plan;
    const file = pdfOf([['Grand Bazar Demo', `Bon de commande ${order}`, '', title, `Total HT : ${euros(cents)} EUR`]]);
    const { path, header } = this.#post();
    const params = { path: { ...path, purchase_id: this.#orderId }, header };
    const body = { file: new File([new Uint8Array(file)], `${order}.pdf`) } as never;
    const { purchasing } = this.#setting.actors;
    await this.#do(() =>
      purchasing.POST('/api/v3.0/tickets/{ticket_id}/purchases/{purchase_id}/document', { params, body }),
    );
  }

  async report(): Promise<void> {
    const { title, parts, reference } = this.plan;
    const file = pdfOf([['Rapport d’intervention', reference, '', title, `Remplacé : ${parts}`, 'Essais concluants.']]);
    const params = this.#post();
    const body = { file: new File([new Uint8Array(file)], `rapport-${reference}.pdf`) } as never;
    await this.#do(() => this.#contractor.POST('/api/v3.0/tickets/{ticket_id}/reports', { params, body }));
  }

  async note(by: 'manager' | 'contractor', note: string, type: 'public' | 'internal' = 'public'): Promise<void> {
    const api = by === 'manager' ? this.#manager : this.#contractor;
    const params = this.#post();
    await this.#do(() => api.POST('/api/v3.0/tickets/{ticket_id}/notes', { params, body: { note, type } }));
  }

  async close(): Promise<void> {
    const params = { path: { ticket_id: this.id } };
    await this.#do(() => this.#manager.PUT('/api/v3.0/tickets/{ticket_id}/close', { params, body: {} }));
  }

  async cancel(reason_cancel: string): Promise<void> {
    const params = { path: { ticket_id: this.id } };
    await this.#do(() =>
      this.#manager.PUT('/api/v3.0/tickets/{ticket_id}/cancel', { params, body: { reason_cancel } }),
    );
  }

  get #manager(): TicketApi {
    return this.#setting.actors.managers[this.plan.manager] as TicketApi;
  }

  get #contractor(): TicketApi {
    return this.#setting.actors.contractors[this.plan.trade] as TicketApi;
  }

  /** The parameters of a POST, with its key. */
  #post() {
    this.#told += 1;
    const key = `demo-week/${this.plan.reference}/${this.#told}`;
    return { path: { ticket_id: this.id }, header: { 'Idempotency-Key': key } };
  }

  /**
   * What an earlier start did already may be refused the second time: then the next call follows. In a story the platform's own timer may
   * come between, since what is planned there is long past: then once more.
   */
  async #do<A extends Answer>(call: () => Promise<A>): Promise<Data<A> | undefined> {
    try {
      return await ok(call, this.#setting.signal);
    } catch (error) {
      const isRefused = error instanceof CallFailed && error.status === 409;
      if (this.#isAgain && isRefused) return undefined;
      if (this.#setting.until && isRefused) return ok(call, this.#setting.signal);
      throw error;
    }
  }
}
