import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.Base64;

public final class Driver {
    public static void main(String[] args) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] parts = line.split("\t", -1);
            byte[] body = Base64.getDecoder().decode(parts[0]);
            System.out.println(Webhooks.isGenuine(body, parts[1], parts[2], Duration.ofSeconds(300)));
        }
    }
}
