import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.*;

/** A driver that answers the queries of the set `progress`. Run: java Driver.java */
public class Driver {
    /** QUERY_CONSUMER_OFFSET after some commits: your implementation goes here. */
    static String answer(Map<String, Object> ask) {
        Map<List<Object>, Long> table = new HashMap<>();
        for (Object each : (List<?>) ask.get("commits")) {
            List<?> commit = (List<?>) each;
            table.put(new ArrayList<>(commit.subList(0, 3)), (Long) commit.get(3));
        }
        long stored = table.getOrDefault(new ArrayList<>((List<?>) ask.get("query")), -1L);
        if (stored >= 0) return "{\"code\":0,\"offset\":" + stored + "}";
        Long first = (Long) ask.get("firstPhysicalOffset");
        long end = (Long) ask.get("logMaxOffset"), memory = (Long) ask.get("memoryBytes");
        boolean onDisk = first != null && end - first > memory;
        if ((Long) ask.get("queueMinOffset") <= 0 && !onDisk) return "{\"code\":0,\"offset\":0}";
        return "{\"code\":22,\"offset\":null}";
    }

    static String reply(Map<String, Object> line) {
        if (line.containsKey("hello")) return "{\"hello\":{\"protocol\":1,\"name\":\"Java\"}}";
        String id = quote((String) line.get("id"));
        Map<String, Object> ask = asObject(line.get("ask"));
        if (!"progress".equals(line.get("set")) || !"query".equals(ask.get("kind")))
            return "{\"id\":" + id + ",\"unsupported\":true}";
        return "{\"id\":" + id + ",\"answer\":" + answer(ask) + "}";
    }

    public static void main(String[] args) throws IOException {
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        var out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, "UTF-8");
        for (String line; (line = in.readLine()) != null; )
            out.println(reply(asObject(new Json(line).value())));
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> asObject(Object value) {
        return (Map<String, Object>) value;
    }

    static String quote(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') quoted.append('\\').append(c);
            else if (c < ' ') quoted.append(String.format("\\u%04x", (int) c));
            else quoted.append(c);
        }
        return quoted.append('"').toString();
    }

    /** Reads JSON: objects are maps, arrays lists, whole numbers Long. */
    static class Json {
        final String text;
        int at = 0;

        Json(String text) {
            this.text = text;
        }

        char next() {
            while (Character.isWhitespace(text.charAt(at))) at++;
            return text.charAt(at);
        }

        boolean take(char c) {
            if (next() != c) return false;
            at++;
            return true;
        }

        Object value() {
            char c = next();
            if (c == '{') {
                Map<String, Object> object = new LinkedHashMap<>();
                for (at++; !take('}'); take(',')) {
                    next();
                    String name = string();
                    take(':');
                    object.put(name, value());
                }
                return object;
            }
            if (c == '[') {
                List<Object> list = new ArrayList<>();
                for (at++; !take(']'); take(',')) list.add(value());
                return list;
            }
            if (c == '"') return string();
            int begin = at;
            while (at < text.length() && ",]} \t".indexOf(text.charAt(at)) < 0) at++;
            String word = text.substring(begin, at);
            if (word.equals("null")) return null;
            if (word.equals("true") || word.equals("false")) return word.equals("true");
            return Long.valueOf(word);
        }

        String string() {
            StringBuilder read = new StringBuilder();
            for (at++; text.charAt(at) != '"'; at++) {
                char c = text.charAt(at);
                if (c != '\\') {
                    read.append(c);
                    continue;
                }
                c = text.charAt(++at);
                if (c == 'u') {
                    read.append((char) Integer.parseInt(text.substring(at + 1, at + 5), 16));
                    at += 4;
                } else {
                    int special = "nrtbf".indexOf(c);
                    read.append(special < 0 ? c : "\n\r\t\b\f".charAt(special));
                }
            }
            at++;
            return read.toString();
        }
    }
}
