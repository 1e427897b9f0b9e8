import { externalValue, useExternalValue } from '../settings/external-value.ts';

/**
 * Something that the user did in this session. It is shown in a toast for a while, and in "My actions" until the tab
 * is closed or the user signs out. A reload keeps all but the undo, which is a function: `href` leads to what can be
 * taken back there.
 */
export type Action = {
  id: number;
  at: string;
  /** `Linked to T-118` */
  text: string;
  /** On what, where the text does not say it: `F-1001` */
  about?: string;
  /** The page of what it was done to. */
  href?: string;
  /** Undoes it; missing if that is impossible. */
  undo?: () => Promise<unknown>;
  state: 'done' | 'undoing' | 'undone';
  /** Why it could not be undone. */
  error?: unknown;
};

const actions = externalValue<readonly Action[]>([]);
const toasts = externalValue<readonly number[]>([]);
const kept = 50;
/** How long a toast is shown: long enough to read it and reach `Undo`. */
const shownMs = 10_000;
const timers = new Map<number, ReturnType<typeof setTimeout>>();
let lastId = 0;

const stored = 'console.actions';

/** Shows what the same user did in this tab before a reload, and keeps what they do from now on. */
export function keepActions(userId: string): () => void {
  const before = readKept();
  if (before?.userId !== userId) forgetActions();
  else if (actions.get().length === 0) {
    lastId = Math.max(0, ...before.actions.map(({ id }) => id));
    actions.set(before.actions);
  }
  return actions.subscribe(() => {
    const kept = actions.get().map(({ undo: _undo, error: _error, ...rest }) => rest);
    withStorage((storage) => storage.setItem(stored, JSON.stringify({ userId, actions: kept })));
  });
}

/** At the end of the session: who uses this tab next sees none of it. */
export function forgetActions(): void {
  withStorage((storage) => storage.removeItem(stored));
}

function readKept(): { userId: string; actions: Action[] } | null {
  const text = withStorage((storage) => storage.getItem(stored)) ?? null;
  return text === null ? null : JSON.parse(text);
}

/** Without storage, which a browser may forbid, a reload forgets them. */
function withStorage<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(sessionStorage);
  } catch {
    return undefined;
  }
}

type More = Pick<Action, 'undo' | 'about' | 'href'>;

/** Announces that something was done: `announce('Linked to T-118', { undo: () => unlink(id) })`. */
export function announce(text: string, { undo, about, href }: More = {}): void {
  lastId += 1;
  const id = lastId;
  const action: Action = {
    id,
    at: new Date().toISOString(),
    text,
    state: 'done',
    ...(undo && { undo }),
    ...(about && { about }),
    ...(href && { href }),
  };
  actions.set([action, ...actions.get()].slice(0, kept));
  show(id);
}

function show(id: number): void {
  dismiss(id);
  toasts.set([id, ...toasts.get()].slice(0, 3));
  timers.set(
    id,
    setTimeout(() => dismiss(id), shownMs),
  );
}

export function dismiss(id: number): void {
  clearTimeout(timers.get(id));
  timers.delete(id);
  toasts.set(toasts.get().filter((one) => one !== id));
}

/**
 * Undoes an action and announces `undone`. If that fails, the action stays with its error, to be tried again.
 */
export async function undoAction(id: number, undone: (text: string) => string): Promise<void> {
  const action = actions.get().find((one) => one.id === id);
  if (!action?.undo || action.state !== 'done') return;
  change(id, { state: 'undoing', error: undefined });
  try {
    await action.undo();
  } catch (error) {
    change(id, { state: 'done', error });
    // Its toast may be gone by now, or about to.
    show(id);
    return;
  }
  change(id, { state: 'undone' });
  dismiss(id);
  announce(undone(action.text));
}

/** The id of the last action that can be undone; null if there is none. */
export function lastUndoable(): number | null {
  return actions.get().find(({ undo, state }) => undo && state === 'done')?.id ?? null;
}

function change(id: number, change: Partial<Action>): void {
  actions.set(actions.get().map((one) => (one.id === id ? { ...one, ...change } : one)));
}

export function useActions(): readonly Action[] {
  return useExternalValue(actions);
}

export function useToasts(): Action[] {
  const shown = useExternalValue(toasts);
  return useExternalValue(actions).filter(({ id }) => shown.includes(id));
}
