import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.GeneralSecurityException;
import java.time.Duration;

public final class Receiver {
    private static final Path INBOX = Path.of(System.getenv("INBOX"));
    private static final String SECRET = System.getenv("WEBHOOK_SECRET");

    public static void main(String[] args) throws IOException {
        int port = Integer.parseInt(System.getenv("PORT"));
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                exchange.sendResponseHeaders(receive(exchange), -1);
            } catch (GeneralSecurityException error) {
                throw new IOException(error);
            }
        });
        server.start();
    }

    private static int receive(HttpExchange exchange) throws IOException, GeneralSecurityException {
        byte[] rawBody = exchange.getRequestBody().readAllBytes();
        String delivery = exchange.getRequestHeaders().getFirst("X-Service-Delivery");
        String signature = exchange.getRequestHeaders().getFirst("X-Service-Signature");
        boolean isGenuine = Webhooks.isGenuine(rawBody, signature, SECRET, Duration.ofSeconds(300));
        if (!isGenuine || delivery == null || !delivery.matches("[0-9a-f]{24}")) {
            return 400;
        }
        try {
            // Named by its delivery id, and never overwritten: what comes again is there already. Work on the files afterwards.
            Files.write(INBOX.resolve(delivery + ".json"), rawBody, StandardOpenOption.CREATE_NEW);
        } catch (FileAlreadyExistsException seen) {
            // Nothing is left to do.
        }
        return 204;
    }
}
