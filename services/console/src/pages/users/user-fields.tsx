import { CheckboxGroup } from '../../components/forms/choice.tsx';
import { Field } from '../../components/forms/field.tsx';
import { textOf } from '../../components/forms/form.tsx';
import { MultiSelect } from '../../components/forms/multi-select.tsx';
import { FieldRow } from '../../components/layout/sections.tsx';
import type { Permission } from '../../session/permissions.ts';
import { useSession } from '../../session/session.ts';
import { useLocations } from '../tickets/choices.ts';
import { useTexts } from './texts.ts';
import type { Invitation, User } from './users.ts';

type Props = { user?: User; placeIds: string[]; onPlaces: (ids: string[]) => void };

/** The fields of both the invitation and the change of a user. */
export function UserFields({ user, placeIds, onPlaces }: Props) {
  const texts = useTexts();
  const isClient = useSession().company.kind === 'client';
  const { data: places = [] } = useLocations({ isOn: isClient });
  return (
    <>
      <FieldRow>
        <Field label={texts.firstName} name="first_name" isRequired autoFocus defaultValue={user?.first_name ?? ''} />
        <Field label={texts.lastName} name="last_name" isRequired defaultValue={user?.last_name ?? ''} />
      </FieldRow>
      {!user && <Field label={texts.email} name="email" type="email" isRequired />}
      <Field label={texts.phone} name="phone" type="tel" defaultValue={user?.phone ?? ''} />
      <CheckboxGroup
        label={texts.permissions}
        name="permissions"
        defaultValue={user?.permissions ?? ['tickets']}
        options={Object.entries(texts.permissionNames).map(([id, text]) => {
          return { id, text, hint: texts.permissionHints[id as Permission] };
        })}
      />
      {isClient && (
        <>
          <MultiSelect
            label={texts.places}
            name="place_ids"
            options={places.map(({ _id, name }) => ({ id: _id, text: name ?? _id }))}
            value={placeIds}
            onChange={onPlaces}
          />
          <p>{texts.placesHint}</p>
        </>
      )}
    </>
  );
}

export function userOf(values: FormData, placeIds: string[]): Omit<Invitation, 'email'> {
  return {
    first_name: textOf(values, 'first_name') ?? '',
    last_name: textOf(values, 'last_name') ?? '',
    phone: textOf(values, 'phone') ?? null,
    permissions: values.getAll('permissions') as Permission[],
    place_ids: placeIds,
  };
}
