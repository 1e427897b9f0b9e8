import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public final class Webhooks {
    private static final Pattern SIGNATURE = Pattern.compile("t=([0-9]{1,12}),v1=([0-9a-f]{64})");

    /** rawBody: the bytes as they came (Spring: @RequestBody byte[]); header: X-Service-Signature; secret: whsec_…, whole. */
    public static boolean isGenuine(byte[] rawBody, String header, String secret, Duration tolerance)
            throws GeneralSecurityException {
        Matcher match = SIGNATURE.matcher(header == null ? "" : header);
        if (!match.matches()) {
            return false;
        }
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        mac.update((match.group(1) + ".").getBytes(StandardCharsets.UTF_8));
        byte[] expected = mac.doFinal(rawBody);
        Instant signedAt = Instant.ofEpochSecond(Long.parseLong(match.group(1)));
        boolean isFresh = Duration.between(signedAt, Instant.now()).abs().compareTo(tolerance) <= 0;
        return MessageDigest.isEqual(expected, HexFormat.of().parseHex(match.group(2))) && isFresh;
    }
}
