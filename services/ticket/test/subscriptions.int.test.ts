import { companyCreated, userCreated } from '@app/contracts';
import { eventFixture, eventually } from '@app/testing';
import { type DirectoryApp, startDirectoryApp } from '../companies/test/directory-app.ts';

let service: DirectoryApp;
beforeAll(async () => {
  service = await startDirectoryApp();
});
afterAll(() => service.stop());

test("identity's frozen events become copies, without what a newer identity may add", async () => {
  const [company, user] = [eventFixture(companyCreated), eventFixture(userCreated)];
  await service.subscribe();
  await service.broker.publish([
    { ...company, data: { company: { ...company.data.company, newer: 1 } } },
    { ...user, data: { user: { ...user.data.user, newer: 1 } } },
  ]);
  await eventually(async () => {
    expect(await service.copies.companies([company.data.company.id])).toEqual([company.data.company]);
    expect(await service.copies.users([user.data.user.id])).toEqual([user.data.user]);
  });
});
