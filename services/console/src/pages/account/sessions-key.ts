export const sessionsKey = ['own sessions'];
