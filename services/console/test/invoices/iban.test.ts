import { ibanGroups, nearestIban } from '../../src/pages/invoices/rules/iban.ts';

const known = 'FR76 3000 6000 0112 3456 7890 189';

test('an IBAN is shown in fours, with the letters that differ', () => {
  const groups = ibanGroups('FR7630006000011234567890198', known);
  expect(groups.map(({ text }) => text).join(' ')).toBe('FR76 3000 6000 0112 3456 7890 198');
  expect(groups.flatMap(({ text, differs }) => [...text].filter((_, index) => differs[index]))).toEqual(['9', '8']);
});

test('alone, nothing of it differs', () => {
  expect(ibanGroups(known).every(({ differs }) => differs.every((one) => !one))).toBe(true);
});

test('a longer one differs in what the other lacks', () => {
  expect(ibanGroups('DE8912', 'DE89').at(-1)).toEqual({ text: '12', differs: [true, true] });
});

test('it is compared with the known one that is nearest', () => {
  const others = ['DE89370400440532013000', known];
  expect(nearestIban(others, 'FR7630006000011234567890198')).toBe(known);
  expect(nearestIban([], known)).toBeNull();
});
