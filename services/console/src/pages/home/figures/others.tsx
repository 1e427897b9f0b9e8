import { Link } from 'react-aria-components';
import { useTexts } from './texts.ts';

type Props = { count: number; isMore: boolean; href: string };

/** How many more than the shown items of a card its list has; `isMore`: and others that are not read yet. */
export function Others({ count, isMore, href }: Props) {
  const texts = useTexts();
  return count > 0 && <Link href={href}>{texts.others(`${count}${isMore ? '+' : ''}`)}</Link>;
}
