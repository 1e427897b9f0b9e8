import { UsageError } from '@app/start/infra';

export const usage = `Usage: npm run ops -- dead-letters <command> [options]

  list                            how many wait for each consumer, without those that have none
  show <service>.<queue>          the oldest 50: event, time, reason
  show <service>.<queue> <id>     one event, whole
  replay <service>.<queue> [<id>] moves all, or one, back to the queue of its consumer
  drop <service>.<queue> <id>     deletes one for good
  drop <service>.<queue> --all    deletes all for good

replay and drop say what they would do, and do it with --yes.
AMQP_URL is the broker (default: that of the running stack), NAMESPACE a prefix of the queues' names.`;

export type Command =
  | { name: 'list' }
  | { name: 'show'; queue: string; id?: string }
  | { name: 'replay' | 'drop'; queue: string; id?: string; isConfirmed: boolean };

/** @throws UsageError */
export function parseArguments(given: readonly string[]): Command {
  const options = given.filter((one) => one.startsWith('--'));
  const [name, queue, id, ...rest] = given.filter((one) => !one.startsWith('--'));
  const all = options.includes('--all');
  const allowed = name === 'drop' ? ['--yes', '--all'] : name === 'replay' ? ['--yes'] : [];
  const isWrong = rest.length > 0 || options.some((option) => !allowed.includes(option));
  if (isWrong) throw wrong(given);
  if (name === 'list' && queue === undefined) return { name };
  if (queue === undefined) throw wrong(given);
  const named = { queue, ...(id === undefined ? {} : { id }) };
  if (name === 'show') return { name, ...named };
  // Deleting everything must be said.
  if (name !== 'replay' && (name !== 'drop' || (id === undefined) !== all)) throw wrong(given);
  return { name, ...named, isConfirmed: options.includes('--yes') };
}

const wrong = (given: readonly string[]) =>
  new UsageError(given.length === 0 ? 'Name a command.' : `'${given.join(' ')}' is not understood.`);
