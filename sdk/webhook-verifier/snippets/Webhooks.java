import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public final class Webhooks {
    private static final Pattern TIMESTAMP = Pattern.compile("^t=([0-9]{1,12}),");
    private static final Pattern SIGNATURE = Pattern.compile(",v1=([0-9a-f]{64})\\b");

    /** rawBody: the bytes as they came (Spring: @RequestBody byte[]); header: X-Service-Signature; secret: whsec_…, whole. */
    public static boolean isGenuine(byte[] rawBody, String header, String secret, Duration tolerance)
            throws GeneralSecurityException {
        Matcher timestamp = TIMESTAMP.matcher(header == null ? "" : header);
        if (!timestamp.find()) {
            return false;
        }
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        mac.update((timestamp.group(1) + ".").getBytes(StandardCharsets.UTF_8));
        byte[] expected = mac.doFinal(rawBody);
        // The header may hold several signatures: one that matches is enough.
        boolean isSigned = false;
        for (MatchResult found : SIGNATURE.matcher(header).results().limit(10).toList()) {
            isSigned |= MessageDigest.isEqual(expected, HexFormat.of().parseHex(found.group(1)));
        }
        Instant signedAt = Instant.ofEpochSecond(Long.parseLong(timestamp.group(1)));
        boolean isFresh = Duration.between(signedAt, Instant.now()).abs().compareTo(tolerance) <= 0;
        return isSigned && isFresh;
    }
}
