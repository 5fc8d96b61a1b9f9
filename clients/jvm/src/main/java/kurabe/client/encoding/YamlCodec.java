package kurabe.client.encoding;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import kurabe.client.Field;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.representer.Representer;

/** YAML by SnakeYAML, in blocks, and without types beyond those of YAML. */
final class YamlCodec extends MapCodec {
    private final Yaml yaml;

    YamlCodec(List<Field> fields) {
        super(fields);
        DumperOptions writes = new DumperOptions();
        writes.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
        LoaderOptions reads = new LoaderOptions();
        reads.setAllowDuplicateKeys(false);
        // Its own limit is 3 MB, which is less than a value may have.
        reads.setCodePointLimit(Integer.MAX_VALUE);
        yaml = new Yaml(new SafeConstructor(reads), new Representer(writes), writes, reads);
    }

    @Override
    byte[] write(Map<String, Object> row) {
        return yaml.dump(row).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    Map<?, ?> parse(byte[] kept) {
        return (Map<?, ?>) yaml.load(new String(kept, StandardCharsets.UTF_8));
    }
}
